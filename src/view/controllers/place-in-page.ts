import type { LitElement, ReactiveController } from 'lit';

/** What the element says of itself. A tool that compares the page with new markup may remove it. */
const ownAttributes = ['role', 'aria-label', 'status'];

/**
 * The host as a part of the page: its role and its label. The page may take them away, change the language of an ancestor, or move
 * the host to another document.
 */
export class PlaceInPageController implements ReactiveController {
  readonly #host: LitElement;
  readonly #observer: MutationObserver;
  readonly #label: () => string | undefined;
  /** The label that is set here. */
  #ownLabel = '';

  /**
   * @param label - the name of the whole widget; undefined until there are texts
   */
  constructor(host: LitElement, label: () => string | undefined) {
    this.#host = host;
    this.#label = label;
    this.#observer = new MutationObserver(() => host.requestUpdate());
    host.addController(this);
  }

  hostConnected(): void {
    this.#observer.observe(this.#host, { attributeFilter: ownAttributes });
    // Includes the host's own `lang`. An observer of the document does not cover shadow roots.
    for (let root = this.#host.getRootNode(); ; root = root.host.getRootNode()) {
      this.#observer.observe(root, { subtree: true, attributeFilter: ['lang'] });
      if (!(root instanceof ShadowRoot)) break;
    }
  }

  hostUpdated(): void {
    if (!this.#host.hasAttribute('role')) this.#host.setAttribute('role', 'region');
    // An attribute, because some tools, such as Playwright's `getByRole`, read only those. A label of the page stays.
    const [label, presentLabel] = [this.#label(), this.#host.getAttribute('aria-label')];
    if (label && presentLabel !== label && (presentLabel ?? this.#ownLabel) === this.#ownLabel) {
      this.#ownLabel = label;
      this.#host.setAttribute('aria-label', label);
    }
    this.#observer.takeRecords(); // These were the element's own changes.
  }

  hostDisconnected(): void {
    this.#observer.disconnect();
  }
}
