import type { LitElement } from 'lit';

const controls = 'input[inputmode], input:checked, button:enabled, a[href]';

/** Moves the focus to where the state went, when the payer was inside or had acted; never into an idle widget. */
export class FocusMover {
  readonly #host: LitElement;
  #screen: string | undefined;
  #acted = false;
  #inside = false;

  constructor(host: LitElement) {
    this.#host = host;
  }

  /** The payer did something that changes the screen. */
  acted(): void {
    this.#acted = true;
  }

  /** Before a render: what had the focus may be gone after it. */
  before(): void {
    this.#inside = this.#host.shadowRoot?.activeElement != null;
  }

  /** After a render of a screen. */
  after(screen: string): void {
    const moved = this.#screen !== undefined && this.#screen !== screen;
    this.#screen = screen;
    if (!moved) return;
    if (this.#inside || this.#acted) this.#host.shadowRoot?.querySelector('h3')?.focus();
    this.#acted = false;
  }

  /** The first control of the screen, or its heading where there is none. */
  first(): HTMLElement | null | undefined {
    const root = this.#host.shadowRoot;
    return root?.querySelector<HTMLElement>(controls) ?? root?.querySelector('h3');
  }
}
