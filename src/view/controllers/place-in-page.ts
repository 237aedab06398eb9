import type { CSSResult, LitElement, ReactiveController } from 'lit';
import { paymentStyles } from '../styles/payment-screens.styles.ts';

/** What the element says of itself. A tool that compares the page with new markup may remove it. */
const ownAttributes = ['role', 'aria-label', 'status'];

/**
 * The host as a part of the page: its role and its label. The page may take them away, change the language of an ancestor, or move
 * the host to another document.
 */
export class PlaceInPageController implements ReactiveController {
  readonly #host: LitElement;
  readonly #observer: MutationObserver;
  readonly #styles: readonly CSSResult[];
  readonly #label: () => string | undefined;
  /** The label that is set here. */
  #ownLabel = '';
  #styledDocument: Document | undefined;

  /**
   * @param styles - of the first file
   * @param label - the name of the whole widget; undefined until there are texts
   */
  constructor(host: LitElement, styles: readonly CSSResult[], label: () => string | undefined) {
    this.#host = host;
    this.#styles = [...styles, paymentStyles];
    this.#label = label;
    this.#observer = new MutationObserver(() => host.requestUpdate());
    host.addController(this);
  }

  hostConnected(): void {
    this.#adoptStyles();
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

  /** Adopts the styles of both files: as copies in another document, because a sheet belongs to the one in which it was made. */
  #adoptStyles(): void {
    const { shadowRoot, ownerDocument } = this.#host;
    const view = ownerDocument.defaultView;
    if (!shadowRoot || !view) return;
    const present = shadowRoot.adoptedStyleSheets;
    if (this.#styledDocument === ownerDocument && present[0]) return;
    this.#styledDocument = ownerDocument;
    const sheets = this.#styles.flatMap(({ cssText, styleSheet }) => {
      if (!styleSheet || view === window) return styleSheet ?? [];
      const sheet = new view.CSSStyleSheet();
      sheet.replaceSync(cssText);
      return sheet;
    });
    shadowRoot.adoptedStyleSheets = [...sheets, ...present.filter((sheet) => !sheets.includes(sheet))];
  }
}
