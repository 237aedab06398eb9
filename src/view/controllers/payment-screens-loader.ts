import { adoptStyles, type CSSResult, type LitElement, type ReactiveController } from 'lit';
import { lazyChunk } from '../../base/import-with-retry.ts';
import { browserClock } from '../../client.ts';
import { CheckoutError } from '../../core.ts';
import { isServerRendering } from '../is-server-rendering.ts';
import { CheckoutErrorEvent } from '../pay-invoice.events.ts';
import type { PaymentScreens } from '../payment-screens.ts';
import type { PaymentScreensHost, PaymentScreensOptions } from '../payment-screens-options.ts';

/** The second file, requested at once: the screens that the first file does not have. */
export const [loadPaymentScreens, loadedPaymentScreens] = lazyChunk(() => import('../payment-screens.ts'));

/** How long the second file is awaited before the payer reads that it is late, in ms. */
const lateMs = 8000;
/** The delay before the file is loaded again after a failure, in ms. */
const reloadMs = 5000;

/** Adds a style sheet after the sheets of the element and of a class that extends it. */
function addStyles({ shadowRoot: root }: LitElement, sheet: CSSResult): void {
  if (!root || isServerRendering) return;
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
  settled: Promise<void> = Promise.resolve();
  readonly #host: PaymentScreensHost;
  readonly #options: PaymentScreensOptions;
  #isLoading = false;

  constructor(host: PaymentScreensHost, options: PaymentScreensOptions) {
    this.#host = host;
    this.#options = options;
    host.addController(this);
  }

  hostConnected(): void {
    if (!this.#isLoading) void this.#load();
  }

  hostUpdate(): void {
    const file = this.#options.session() && loadedPaymentScreens();
    if (this.screens || !file) return;
    addStyles(this.#host, file.paymentStyles);
    this.screens = new file.PaymentScreens(this.#host, this.#options);
  }

  async #load(isFirst = true): Promise<void> {
    this.#isLoading = true;
    const loading = loadPaymentScreens();
    this.settled = new Promise((resolve) => {
      const cancel = browserClock.schedule(lateMs, () => {
        this.#setLate(true);
        resolve();
      });
      const end = (): void => {
        cancel();
        resolve();
      };
      loading.then(end, end);
    });
    try {
      await loading;
      this.#setLate(false);
    } catch (cause) {
      this.#setLate(true);
      if (isFirst)
        this.#options.emit(
          new CheckoutErrorEvent(new CheckoutError('network', 'a file could not be loaded', { cause })),
        );
      browserClock.schedule(reloadMs, () => {
        if (this.#host.isConnected) void this.#load(false);
        else this.#isLoading = false;
      });
    }
  }

  #setLate(isLate: boolean): void {
    this.isLate = isLate;
    this.#host.requestUpdate();
  }
}
