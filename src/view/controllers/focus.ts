import type { LitElement, ReactiveController } from 'lit';
import { findFirstControl, findTitle } from '../screens/shared-templates.ts';

/** Moves the focus to the heading of a new screen when it was inside the widget, or when the payer caused the change. */
export class FocusController implements ReactiveController {
  readonly #host: LitElement;
  readonly #currentScreen: () => string;
  #screen: string | undefined;
  #causedByPayer = false;
  #wasInside = false;

  /** @param currentScreen - returns a name that differs for each screen */
  constructor(host: LitElement, currentScreen: () => string) {
    this.#host = host;
    this.#currentScreen = currentScreen;
    host.addController(this);
  }

  /** Call it when the payer did something that changes the screen. */
  expectChange(): void {
    this.#causedByPayer = true;
  }

  /** Checks before the render, which may remove the focused element. */
  hostUpdate(): void {
    this.#wasInside = this.#host.shadowRoot?.activeElement != null;
  }

  hostUpdated(): void {
    const screen = this.#currentScreen();
    const isChanged = this.#screen !== undefined && this.#screen !== screen;
    this.#screen = screen;
    if (!isChanged) return;
    if (this.#wasInside || this.#causedByPayer) findTitle(this.#host.shadowRoot)?.focus();
    this.#causedByPayer = false;
  }

  /** Focuses the first control of the current screen, or its heading where there is none. */
  focusFirst(options?: FocusOptions): void {
    findFirstControl(this.#host.shadowRoot)?.focus(options);
  }
}
