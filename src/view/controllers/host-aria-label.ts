import type { LitElement, ReactiveController } from 'lit';

/**
 * Makes the host a labelled region, unless the page has set its own role or label. These are attributes, and not
 * properties of `ElementInternals`, because some tools read only attributes, such as Playwright's `getByRole`.
 */
export class HostLabelController implements ReactiveController {
  readonly #host: LitElement;
  readonly #currentLabel: () => string | undefined;
  #label = '';

  /** @param currentLabel - the label in the language of the texts; undefined until they are loaded */
  constructor(host: LitElement, currentLabel: () => string | undefined) {
    this.#host = host;
    this.#currentLabel = currentLabel;
    host.addController(this);
  }

  hostUpdated(): void {
    const host = this.#host;
    if (!host.hasAttribute('role')) host.setAttribute('role', 'region');
    const label = this.#currentLabel();
    const current = host.getAttribute('aria-label');
    if (label === undefined || current === label || (current ?? this.#label) !== this.#label) return;
    this.#label = label;
    host.setAttribute('aria-label', label);
  }
}
