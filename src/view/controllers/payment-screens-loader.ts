import { adoptStyles, type CSSResult, type LitElement, type ReactiveController } from 'lit';
import { lazyChunk } from '../../base/import-with-retry.ts';
import { browserClock } from '../../client.ts';
import type { PaymentScreens } from '../payment-screens.ts';
import type { PaymentScreensHost, PaymentScreensOptions } from '../payment-screens-options.ts';

/** The second file, requested at once: the screens that the first file does not have. */
export const [loadPaymentScreens, loadedPaymentScreens] = lazyChunk(() => import('../payment-screens.ts'));

/** The delay before the file is loaded again after a failure, in ms. */
const reloadMs = 5000;

/** Adds a style sheet after the sheets of the element and of a class that extends it. */
function addStyles({ shadowRoot: root }: LitElement, sheet: CSSResult): void {
  if (!root) return;
  if (sheet.styleSheet) root.adoptedStyleSheets.push(sheet.styleSheet);
  else adoptStyles(root, [sheet]);
}

/** Loads the second file while the host is connected, in parallel with the first response, and creates its screens. */
export class PaymentScreensLoader implements ReactiveController {
  /** The second file's screens; undefined until it is loaded. */
  screens: PaymentScreens | undefined;
  /** Whether the file has failed, or has not come in time. */
  isLate = false;
  /** Resolves when the file has come, has failed, or is late. */
  settled: Promise<unknown> = Promise.resolve();
  readonly #host: PaymentScreensHost;
  readonly #options: PaymentScreensOptions;
  #isLoading = false;
  #sheets: readonly CSSStyleSheet[] = [];

  constructor(host: PaymentScreensHost, options: PaymentScreensOptions) {
    this.#host = host;
    this.#options = options;
    host.addController(this);
  }

  hostUpdate(): void {
    void this.load();
    const file = this.#options.session() && loadedPaymentScreens();
    if (this.screens || !file) return;
    addStyles(this.#host, file.paymentStyles);
    this.screens = new file.PaymentScreens(this.#host, this.#options);
  }

  hostUpdated(): void {
    const sheets = this.#host.shadowRoot?.adoptedStyleSheets;
    if (sheets?.[0]) this.#sheets = [...sheets];
  }

  /** Copies the style sheets for another document, into which the host has been moved: a root loses those of its former one. */
  copyStyles(): void {
    const { shadowRoot, ownerDocument } = this.#host;
    const view = ownerDocument.defaultView;
    if (!shadowRoot || !view) return;
    shadowRoot.adoptedStyleSheets = this.#sheets.map(({ cssRules }) => {
      const sheet = new view.CSSStyleSheet();
      sheet.replaceSync(Array.from(cssRules, ({ cssText }) => cssText).join(''));
      return sheet;
    });
  }

  /** Requests the file, unless it has come or is under way. The update that requests the checkout calls it, after that request. */
  async load(): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    do {
      const loading = loadPaymentScreens();
      this.settled = loading.catch(() => undefined);
      try {
        await loading;
        this.#setLate(false);
        return;
      } catch (cause) {
        this.#setLate(true);
        this.#options.onFileError(cause);
        await new Promise<void>((resolve) => browserClock.schedule(reloadMs, resolve));
      }
    } while (this.#host.isConnected);
    this.#isLoading = false;
  }

  #setLate(isLate: boolean): void {
    this.isLate = isLate;
    this.#host.requestUpdate();
  }
}
