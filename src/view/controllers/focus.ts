import type { LitElement } from 'lit';

const controls = 'input[inputmode], input:checked, button:enabled, a[href], h3';

/** Moves the focus to where the state went, when the payer was inside or had acted; never into an idle widget. */
export class FocusMover {
  readonly #host: LitElement;
  #screen: string | undefined;
  #due = false;

  constructor(host: LitElement) {
    this.#host = host;
  }

  /** The payer did something that changes the screen. */
  acted(): void {
    this.#due = true;
  }

  /** Before a render: what had the focus may be gone after it. */
  before(): void {
    this.#due ||= this.#host.shadowRoot?.activeElement != null;
  }

  /** After a render of a screen. */
  after(screen: string): void {
    const moved = this.#screen !== undefined && this.#screen !== screen;
    this.#screen = screen;
    if (moved && this.#due) this.#host.shadowRoot?.querySelector('h3')?.focus();
    if (moved || this.#host.shadowRoot?.activeElement == null) this.#due &&= !moved;
  }

  /** The first control of the screen. */
  first(): HTMLElement | null | undefined {
    return this.#host.shadowRoot?.querySelector<HTMLElement>(controls);
  }
}
