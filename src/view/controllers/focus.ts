import type { LitElement, ReactiveController } from 'lit';
import { findTitle } from '../screens/shared-templates.ts';

/**
 * Moves the focus to the heading of a new screen when it was inside the widget, or when the payer caused the change; and where an
 * update removes or disables the control that had the focus.
 */
export class FocusController implements ReactiveController {
  readonly #host: LitElement;
  readonly #currentScreen: () => string;
  #screen: string | undefined;
  /** Where the focus of the page was when the payer caused a change or lost it; undefined while no change is expected. */
  #from: Element | null | undefined;
  /** Whether the focus waits for the next heading. */
  #isDue = false;
  #wasInside = false;

  /** @param currentScreen - returns a name that differs for each screen */
  constructor(host: LitElement, currentScreen: () => string) {
    this.#host = host;
    this.#currentScreen = currentScreen;
    host.addController(this);
  }

  /** Call it when the payer did something that changes the screen. */
  expectChange(): void {
    this.#from = document.activeElement;
  }

  /** Checks before the render, which may remove the focused element. */
  hostUpdate(): void {
    this.#wasInside = this.#focused !== null;
  }

  hostUpdated(): void {
    const screen = this.#currentScreen();
    const isChanged = this.#screen !== undefined && this.#screen !== screen;
    this.#screen = screen;
    const isLost = this.#wasInside && (this.#focused?.matches(':disabled') ?? true);
    if (isLost || (isChanged && this.#wasInside)) this.#from = document.activeElement;
    this.#isDue ||= (isLost || isChanged) && this.#from !== undefined;
    const title = findTitle(this.#host.shadowRoot);
    if (!this.#isDue || !title) return;
    // A payer who has gone on to another field meanwhile keeps the focus there.
    if (this.#from === document.activeElement) title.focus();
    this.#from = undefined;
    this.#isDue = false;
  }

  get #focused(): Element | null {
    return this.#host.shadowRoot?.activeElement ?? null;
  }
}
