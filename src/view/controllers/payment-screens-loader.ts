import type { CSSResult, ReactiveController } from 'lit';
import { lazyChunk } from '../../base/import-with-retry.ts';
import { browserClock } from '../../client.ts';
import type { PaymentScreens } from '../payment-screens.ts';
import type { PaymentScreensHost, PaymentScreensOptions } from '../payment-screens-options.ts';

/** The second file, requested at once: the screens that the first file does not have. */
export const [loadPaymentScreens, loadedPaymentScreens] = lazyChunk(
  () => import('../payment-screens.ts'),
  'PaymentScreens',
);

/** The delay before the file is loaded again after a failure, in ms. */
const reloadMs = 5000;

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
  #sheet: CSSStyleSheet | undefined;

  constructor(host: PaymentScreensHost, options: PaymentScreensOptions) {
    this.#host = host;
    this.#options = options;
    host.addController(this);
  }

  /**
   * Adopts the styles that have come; those of a class that extends the element are the last. A document takes only sheets that were
   * made in it, and drops those of an element that leaves it.
   */
  hostConnected(): void {
    const { shadowRoot, ownerDocument, constructor } = this.#host;
    const view = ownerDocument.defaultView;
    const sheets = shadowRoot?.adoptedStyleSheets;
    const { styles } = this.#options;
    // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- a class of Lit, whose styles are ours or of a class after it
    const { elementStyles } = constructor as typeof constructor & { elementStyles: CSSResult[] };
    const more = this.screens && loadedPaymentScreens()?.paymentStyles;
    try {
      if (view && sheets && !(this.#sheet && sheets.includes(this.#sheet)))
        sheets.unshift((this.#sheet = new view.CSSStyleSheet()));
      this.#sheet?.replaceSync([...styles, more, ...elementStyles.slice(styles.length)].join(''));
    } catch {
      // The page has broken style sheets. The payer can pay without them.
    }
  }

  hostUpdate(): void {
    void this.load();
    const file = this.#options.session() && loadedPaymentScreens();
    if (!file || this.screens) return;
    this.screens = new file.PaymentScreens(this.#host, this.#options);
    this.hostConnected();
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
