import { fetchPaymentOptionsRequest } from '../contract.ts';
import { optionsFor } from './catalogue.ts';
import { checkAmount } from './create-invoice.ts';
import { parse } from './json-body.ts';

/**
 * FetchPaymentOptions (invoice-service.md §4.2). With an amount, methods and banks whose limits do not hold it are left
 * out; what is not available stays in the list and says so.
 */
export function fetchPaymentOptions(body: unknown): object {
  const { amount } = parse(fetchPaymentOptionsRequest, body);
  return { options: optionsFor(amount === undefined ? undefined : checkAmount(amount)) };
}
