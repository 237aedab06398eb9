// The floor for the options: a bare Lit element that fetches options, renders them, and shows a QR after a click. It does
// nothing else: no validation, no errors, no time left, one language, no accessibility beyond plain HTML.
import { css, html, LitElement } from 'lit';

// The encoder is a separate file, which is requested once the options are rendered.
let encoder;
const loadEncoder = () => (encoder ??= import('./encode-qr.js'));

class LitFloor extends LitElement {
  static styles = css`
    :host {
      display: block;
      max-width: 30rem;
    }
    label {
      display: block;
      padding: 0.5rem;
    }
    svg {
      background: #fff;
    }
  `;

  static properties = { state: { state: true }, qr: { state: true } };

  connectedCallback() {
    super.connectedCallback();
    void this.load();
  }

  get url() {
    return `/checkout/${this.getAttribute('checkout')}`;
  }

  async load() {
    await this.show(await (await fetch(this.url)).json());
  }

  async choose(event) {
    event.preventDefault();
    const body = JSON.stringify({ payment_method_id: new FormData(event.target).get('method') });
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() };
    await this.show(await (await fetch(`${this.url}/invoice`, { method: 'POST', headers, body })).json());
  }

  async show(state) {
    this.state = state;
    const link = state.invoice?.nspk_url;
    if (link && !this.qr) {
      this.qr = (await loadEncoder()).drawQr(link);
      setInterval(() => void this.load(), 2000);
    }
  }

  updated() {
    if (this.state) requestAnimationFrame(() => setTimeout(loadEncoder));
  }

  render() {
    if (!this.state) return html`<p>Loading…</p>`;
    const { amount, options, invoice } = this.state;
    return html`<h3>${amount}</h3>
      ${
        invoice
          ? this.qr && html`<svg viewBox=${this.qr.box} width="320"><path d=${this.qr.path} /></svg>`
          : html`<form @submit=${this.choose}>
              ${options.map(
                ({ id, name }, index) =>
                  html`<label class="option">
                    <input type="radio" name="method" value=${id} ?checked=${index === 0} />${name}
                  </label>`,
              )}
              <button>Continue</button>
            </form>`
      }`;
  }
}

customElements.define('lit-floor', LitFloor);
