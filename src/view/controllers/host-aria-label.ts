import type { LitElement, ReactiveController } from 'lit';

/**
 * Makes the host a labelled region, unless the page has set its own role or label. The role and the label are attributes,
 * and not properties of `ElementInternals`, because some tools, such as Playwright's `getByRole`, read only attributes.
 */
export class HostLabelController implements ReactiveController {
  readonly #host: LitElement;
  readonly #currentLabel: () => string | undefined;
  #ownLabel = '';

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
    const presentLabel = host.getAttribute('aria-label');
    if (label === undefined || presentLabel === label || (presentLabel ?? this.#ownLabel) !== this.#ownLabel) return;
    this.#ownLabel = label;
    host.setAttribute('aria-label', label);
  }
}
