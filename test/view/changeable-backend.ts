import { checkoutWithoutInvoice, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import type { CheckoutTransport, CreateAnswer, CreateRequest, ReadAnswer } from '../../src/core.ts';
import type { Checkout } from '../../src/checkout-api.ts';

/** A backend whose checkout a test can change. It counts its reads and the long polls that it holds now, and records creates. */
export class Backend implements CheckoutTransport {
  reads = 0;
  heldLongPolls = 0;
  readonly creates: CreateRequest[] = [];
  #checkout: Checkout;
  #releases: (() => void)[] = [];

  constructor(checkout: Checkout = checkoutWithoutInvoice) {
    this.#checkout = checkout;
  }

  setCheckout(checkout: Checkout): void {
    this.#checkout = checkout;
    this.#releases.splice(0).forEach((release) => release());
  }

  async read({ etag }: { etag?: string | undefined }, signal: AbortSignal): Promise<ReadAnswer> {
    this.reads += 1;
    if (etag === JSON.stringify(this.#checkout)) {
      this.heldLongPolls += 1;
      await new Promise<void>((resolve, reject) => {
        this.#releases.push(resolve);
        signal.addEventListener('abort', () => {
          reject(new Error('aborted'));
        });
      }).finally(() => (this.heldLongPolls -= 1));
    }
    return { kind: 'checkout', checkout: this.#checkout, etag: JSON.stringify(this.#checkout) };
  }

  createInvoice(request: CreateRequest): Promise<CreateAnswer> {
    this.creates.push(request);
    this.#checkout = makePendingCheckout(sbp);
    return Promise.resolve({ kind: 'created', checkout: this.#checkout });
  }
}
