// The floor for the QR of a waiting invoice: a bare Lit element that fetches the invoice and draws it, in one file with the
// encoder. It does nothing else.
import { css, html, LitElement } from 'lit';
import { drawQr } from './encode-qr.js';

class LitFloorQr extends LitElement {
  static styles = css`
    :host {
      display: block;
      max-width: 30rem;
    }
    svg {
      background: #fff;
    }
  `;

  static properties = { qr: { state: true } };

  connectedCallback() {
    super.connectedCallback();
    void this.load();
  }

  async load() {
    const { invoice } = await (await fetch(`/checkout/${this.getAttribute('checkout')}`)).json();
    this.qr ??= drawQr(invoice.nspk_url);
    this.timer ??= setInterval(() => void this.load(), 2000);
  }

  render() {
    return this.qr
      ? html`<svg viewBox=${this.qr.box} width="320"><path d=${this.qr.path} /></svg>`
      : html`<p>Loading…</p>`;
  }
}

customElements.define('lit-floor-qr', LitFloorQr);
