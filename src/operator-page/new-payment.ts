import { tryCompareDecimals } from '../base/decimal.ts';
import { readAmount } from '../core/select-public-state.ts';
import { callAdmin, type Checkouts, type LinkedCheckout } from './admin-client.ts';
import { hasSecret } from './list-address.ts';

/** What is wrong with a field, by the field's name: a text of the page, or the server's own words. */
type Faults = Readonly<Record<string, string>>;
type Fields = Readonly<Record<string, string>>;

/** The types of methods that occur at the service. It decides which of them a payer gets. */
export const methodTypes = ['SBP', 'CARD', 'BANK_TRANSFER'] as const;

/**
 * A payment that is being made: what was typed, and what is wrong with it. It is in the memory of the page alone, so that whoever
 * goes back finds it again.
 */
export class NewPayment {
  fields: Fields = {};
  faults: Faults = {};
  /** The checkout that has the order's number already. */
  takenBy: string | undefined;
  /** Whether the server has accepted it. */
  #isMade = false;
  /** What was sent without an answer, and the number that was made up for it: sent once more, it is the same payment. */
  #sent: { readonly typed: string; readonly number: string } | undefined;

  get isPayersAmount(): boolean {
    return hasPayersAmount(this.fields);
  }

  /** What “New payment” begins with: this one as long as it is not made. */
  next(): NewPayment {
    return this.#isMade ? new NewPayment() : this;
  }

  /** Takes the fields of the form. An amount of the other kind, which the form does not show, stays. */
  type(fields: Fields): void {
    const { amount = '', min_amount = '', max_amount = '' } = this.fields;
    this.fields = { amount, min_amount, max_amount, ...fields };
  }

  /** Makes the payment, or finds out what is wrong: then there is no answer. */
  async create(token: string, language: string): Promise<LinkedCheckout | undefined> {
    const now = new Date();
    const typed = JSON.stringify(this.fields);
    const sent = this.#sent?.typed === typed ? this.#sent : undefined;
    const number = sent?.number ?? makeOrderNumber(now);
    const { order, faults } = readNewPayment(this.fields, now, number, language);
    this.faults = faults;
    this.takenBy = undefined;
    if (order === undefined) return undefined;
    // The shop's own orders have numbers too. A create would answer with the checkout that the order has.
    if (sent === undefined && (await this.#isTaken(token, order))) return undefined;
    this.#sent = { typed, number };
    try {
      const answer = await callAdmin<LinkedCheckout>(token, ['checkouts'], {}, order);
      this.#sent = undefined;
      this.#isMade = true;
      return answer;
    } catch (error) {
      const { name = '', message = '' } = error instanceof Error ? error : {};
      if (name === 'order_conflict' && (await this.#isTaken(token, order))) return undefined;
      const answered = faultsOfAnswer(name, message);
      if (answered === undefined) throw error;
      this.faults = answered;
      return undefined;
    }
  }

  async #isTaken(token: string, { order_id }: NewOrder): Promise<boolean> {
    const { checkouts } = await callAdmin<Checkouts>(token, ['checkouts'], { order_id });
    this.takenBy = checkouts[0]?.id;
    if (this.takenBy !== undefined) this.faults = { order_id: 'order_taken' };
    return this.takenBy !== undefined;
  }
}

/** Whether the payer types the amount. */
const hasPayersAmount = (fields: Fields): boolean => fields['kind'] === 'payer';

interface NewOrder {
  readonly order_id: string;
}

/** Reads the fields: the body of `POST /admin/checkouts`, or what is wrong. The server checks it once more. */
function readNewPayment(
  fields: Fields,
  now: Date,
  madeUpNumber: string,
  language: string,
): { readonly order?: NewOrder; readonly faults: Faults } {
  const faults: Record<string, string> = {};
  const currency = fields['currency'] ?? '';
  const read = (name: string): string | undefined => {
    const typed = fields[name]?.trim() ?? '';
    if (typed === '') return undefined;
    const { amount, fault } = readAmount(typed, null, currency, (10_000.5).toLocaleString(language));
    if (fault !== undefined) faults[name] = `amount_${fault}`;
    return amount;
  };
  const isPayersAmount = hasPayersAmount(fields);
  const amount = isPayersAmount ? undefined : read('amount');
  const [min, max] = isPayersAmount ? [read('min_amount'), read('max_amount')] : [];
  if (!isPayersAmount && amount === undefined) faults['amount'] ??= 'amount_missing';
  if (isPayersAmount && min === undefined && max === undefined && faults['max_amount'] === undefined)
    faults['min_amount'] ??= 'limits_missing';
  if (min !== undefined && max !== undefined && tryCompareDecimals(min, max) === 1)
    faults['max_amount'] = 'limits_empty';
  const until = fields['expires_at'] ?? '';
  if (until !== '' && !(new Date(until) > now)) faults['expires_at'] = 'until_passed';
  const orderId = fields['order_id']?.trim() ?? '';
  if (hasSecret(orderId)) faults['order_id'] = 'secret'; // a create searches for the number first
  if (Object.keys(faults).length > 0) return { faults };
  const methods = methodTypes.filter((type) => `method_${type}` in fields);
  const number = orderId === '' ? madeUpNumber : orderId;
  const description = fields['description']?.trim() ?? '';
  const limits = { ...(min !== undefined && { min_amount: min }), ...(max !== undefined && { max_amount: max }) };
  const order = {
    order_id: number,
    reference: number,
    currency,
    ...(isPayersAmount ? { amount_limits: limits } : { amount }),
    ...(description !== '' && { description }),
    ...(until !== '' && { expires_at: new Date(until).toISOString() }),
    ...(methods.length > 0 && { methods }),
  };
  return { order, faults };
}

/** Without signs that are taken for each other when they are read out. */
const signs = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';

/** A number that a person can read out: the day, and six random signs. */
function makeOrderNumber(now: Date): string {
  const random = [...crypto.getRandomValues(new Uint8Array(6))].map((byte) => signs[byte % signs.length] ?? '');
  const day = [now.getFullYear() % 100, now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, '0'));
  return `${day.join('')}-${random.join('')}`;
}

/** The fields that the server's answer is about: `detail` names each with its rule. Undefined: it is about none of them. */
function faultsOfAnswer(code: string, detail: string): Faults | undefined {
  if (code !== 'invalid_request') return undefined;
  const [, name = '', rule = ''] = /^(?:amount_limits\.)?(\w+): (.*)$/s.exec(detail) ?? [];
  const known = ['description', 'amount', 'min_amount', 'max_amount', 'order_id', 'expires_at', 'methods'];
  return known.includes(name) ? { [name]: rule } : undefined;
}
