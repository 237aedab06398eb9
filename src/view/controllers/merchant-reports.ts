import type { ReactiveController } from 'lit';
import { isSafeLink } from '../../checkout-api/safe-link.ts';
import { CheckoutError, findSuspectFields } from '../../core.ts';
import { CheckoutErrorEvent } from '../pay-invoice.events.ts';
import type { PaymentScreensHost } from '../payment-screens-options.ts';

/** `phoneUrl` as an absolute URL; undefined where it is not safe to follow. */
export function safePhoneUrl({ phoneUrl }: Pick<PaymentScreensHost, 'phoneUrl'>): string | undefined {
  const { href } = location;
  return phoneUrl && isSafeLink(phoneUrl, href, href) ? new URL(phoneUrl, href).href : undefined;
}

/** Tells the merchant of an unsafe `phoneUrl`, and of each requisite with wrong check digits or a wrong form: of each once. */
export class MerchantReportsController implements ReactiveController {
  readonly #host: PaymentScreensHost;
  readonly #emit: (event: Event) => void;
  /** What has been reported: URLs, and ids of invoices with the names of fields. */
  readonly #reported = new Set<string>();

  constructor(host: PaymentScreensHost, emit: (event: Event) => void) {
    this.#host = host;
    this.#emit = emit;
    host.addController(this);
  }

  hostUpdate(): void {
    const { state, phoneUrl } = this.#host;
    if (phoneUrl && !safePhoneUrl(this.#host))
      this.#report(phoneUrl, new CheckoutError('unsafe_link', 'phone-url', { field: 'phone-url' }));
    const invoice = 'checkout' in state ? state.checkout.invoice : null;
    for (const field of invoice ? findSuspectFields(invoice) : [])
      this.#report(`${invoice?.id} ${field}`, new CheckoutError('requisites_suspect', field, { field }));
  }

  #report(key: string, error: CheckoutError): void {
    if (!this.#reported.has(key)) this.#emit(new CheckoutErrorEvent(error));
    this.#reported.add(key);
  }
}
