import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { lazyChunk } from '../../base/import-with-retry.ts';
import { browserClock } from '../../client.ts';
import { CheckoutError } from '../../core.ts';
import { CheckoutErrorEvent } from '../pay-invoice.events.ts';

/** The second file, requested at once: the screens that the first file does not have. */
export const [loadPaymentScreens, loadedPaymentScreens] = lazyChunk(() => import('../payment-screens.ts'));

/** How long the second file is awaited before the payer reads that it is late, in ms. */
const lateMs = 8000;
/** The delay before the file is loaded again after a failure, in ms. */
const reloadMs = 5000;

/** Loads the second file while the host is connected, in parallel with the first response. */
export class PaymentScreensLoader implements ReactiveController {
  /** Whether the file has failed, or has not come in time. */
  isLate = false;
  /** Resolves when the file has come, has failed, or is late. */
  settled: Promise<void> = Promise.resolve();
  readonly #host: ReactiveControllerHost & { readonly isConnected: boolean };
  readonly #emit: (event: Event) => void;
  #isLoading = false;

  constructor(host: ReactiveControllerHost & { readonly isConnected: boolean }, emit: (event: Event) => void) {
    this.#host = host;
    this.#emit = emit;
    host.addController(this);
  }

  hostConnected(): void {
    if (!this.#isLoading) void this.#load();
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
        this.#emit(new CheckoutErrorEvent(new CheckoutError('network', 'a file could not be loaded', { cause })));
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
