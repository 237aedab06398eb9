import type { CreateInvoiceRequest } from '../../contract.ts';
import { hookUrl, type CreateInvoiceBody } from '../../protocol.ts';
import type { CreateRequest } from '../domain/decide-create.ts';
import type { ServerContext } from '../context.ts';
import { fingerprintOf } from '../domain/ids.ts';
import { isAmountAllowed } from '../commands/checkout-presenter.ts';
import { ProblemError } from './problem.ts';
import type { CheckoutRecord, CheckoutParams } from '../ports/checkout-store.ts';

/** The idempotency key of a request. @throws ProblemError when there is none, or none that may be stored. */
export function readKey(request: Request): string {
  // Stryker disable next-line StringLiteral: Every text that is not a key is rejected the same way.
  const key = request.headers.get('idempotency-key') ?? '';
  if (/^[\x21-\x7e]{1,200}$/.test(key)) return key;
  const detail = 'idempotency-key: must be 1 to 200 visible ASCII characters, such as a UUID';
  throw new ProblemError('invalid_request', { detail });
}

/**
 * What a payer asks for, with its amount, which the browser can only set where the order leaves it open.
 * @throws ProblemError when that amount is missing, or outside of the order's limits.
 */
export function readAsk(terms: CheckoutParams, body: CreateInvoiceBody, key: string): CreateRequest {
  const { payment_method_id, replace = false } = body;
  const amount = terms.amount ?? body.amount;
  const { min_amount, max_amount } = terms.amount_limits ?? {};
  if (amount === undefined) throw new ProblemError('amount_required', { min_amount, max_amount });
  if (terms.amount === null && !isAmountAllowed(amount, terms))
    throw new ProblemError('amount_out_of_limits', { min_amount, max_amount });
  const fingerprint = fingerprintOf([payment_method_id, body.amount ?? null, replace]);
  return { key: { key, fingerprint }, payment_method_id, amount, replace };
}

/** What is asked of the service (invoice-service.md §4.1); a repeat sends exactly the same. */
export function requestFor(
  context: ServerContext,
  record: CheckoutRecord,
  ask: CreateRequest,
  externalId: string,
): CreateInvoiceRequest {
  const { success_url, fail_url, order_id } = record.params;
  return {
    amount: ask.amount,
    external_id: externalId,
    payment_method_id: ask.payment_method_id,
    mode: context.mode,
    url_config: {
      hook_url: hookUrl(context.endpoint, record.id, record.hook_secret),
      ...(success_url === null ? {} : { success_url }),
      ...(fail_url === null ? {} : { fail_url }),
    },
    metadata: { order_id },
    ...(context.qr === undefined ? {} : { qr: context.qr }),
  };
}
