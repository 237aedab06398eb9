import { randomUUID } from 'node:crypto';
import { compareDecimals } from '../../base/decimal.ts';
import {
  checkoutIn,
  createUntilKnown,
  firstUsableOption,
  readCheckout,
  summarize,
  type Check,
  type Group,
  type CheckContext,
} from '../check.ts';
import { expect, NotRun } from '../violation.ts';
import { problemOf, type Exchange } from '../backend-client.ts';

/** How many writes are sent at once. */
const atOnce = 6;

/** Throws a `Violation` unless several writes at once lead to one invoice, which later reads show. */
async function expectOneInvoice(context: CheckContext, keys: readonly string[]): Promise<void> {
  const before = await readCheckout(context);
  const body = { payment_method_id: firstUsableOption(before).id };
  const sent = await Promise.all(keys.map((key) => context.backend.create(context.checkout, body, { key })));
  const isInDoubt = (exchange: Exchange): boolean => [202, 503].includes(exchange.status);
  const answers = await Promise.all(
    sent.map(async (exchange, index) =>
      isInDoubt(exchange) ? createUntilKnown(context, body, keys[index] ?? randomUUID()) : exchange,
    ),
  );
  const wrong = answers.find(({ status }) => status !== 200 && status !== 201);
  expect(wrong === undefined, `HTTP 201 and 200 to ${atOnce} writes at once`, wrong ?? '');
  const ids = new Set(answers.map((answer) => checkoutIn(answer, 200, 201).invoice?.id ?? 'none'));
  expect(ids.size === 1, 'one invoice', `${ids.size} different ones`);
  const later = await readCheckout(context);
  expect(ids.has(later.invoice?.id ?? 'none'), 'this invoice in later reads', summarize(later));
  const fresh = sent.filter(({ status }) => status === 201).length;
  expect(fresh <= 1, 'at most one 201', `${fresh} of them`);
}

const concurrent: Check = {
  id: 'concurrent.same_key',
  clause: 'POST: 200, the same key: the same invoice again',
  rule: 'creates one invoice for several simultaneous writes with the same key',
  fix: 'Commit the key under a unique constraint before the service is called; the second write waits or gets 202.',
  run(context) {
    const key = randomUUID();
    return expectOneInvoice(
      context,
      Array.from({ length: atOnce }, () => key),
    );
  },
};

export const sameKeyAtOnce: Group = { title: 'Writes at once: one key', checkout: 'fresh', checks: [concurrent] };

const concurrentKeys: Check = {
  id: 'concurrent.other_keys',
  clause: 'POST: 200, the same method while its invoice can be paid',
  rule: 'creates one invoice for simultaneous writes from several tabs',
  fix: 'Lock the checkout, or save it by its version: the write that comes second reads again and finds the invoice.',
  run: (context) =>
    expectOneInvoice(
      context,
      Array.from({ length: atOnce }, () => randomUUID()),
    ),
};

export const otherKeysAtOnce: Group = {
  title: 'Writes at once: several tabs',
  checkout: 'fresh',
  checks: [concurrentKeys],
};

const tampering: Check = {
  id: 'order.tampering',
  clause: 'The price, the currency, the description and the return URLs come from the order',
  rule: 'ignores values of the order that the browser sends',
  fix: 'Read payment_method_id, replace and (only where the payer types it) amount from the body, and nothing else.',
  async run(context) {
    const before = await readCheckout(context);
    if (before.amount === null) throw new NotRun('the payer types the amount of this checkout');
    const request = {
      payment_method_id: firstUsableOption(before).id,
      amount: '1.00',
      currency: 'XXX',
      description: 'tampered',
      test: true,
      mode: 'TEST',
      status: 'paid',
      return_urls: { success_url: 'https://elsewhere.example/', fail_url: null },
    };
    const answer = await createUntilKnown(context, request, randomUUID());
    const isRefused = answer.status >= 400 && answer.status < 500 && problemOf(answer) !== undefined;
    const after = isRefused ? await readCheckout(context) : checkoutIn(answer, 200, 201);
    const fixedMembers = ({ amount, currency, description, test, return_urls }: typeof before): string =>
      JSON.stringify({ amount, currency, description, test, return_urls });
    expect(fixedMembers(after) === fixedMembers(before), fixedMembers(before), fixedMembers(after));
    expect(after.status !== 'paid', 'not paid', '"paid"');
    const invoiced = after.invoice?.amount;
    const isSame = invoiced === undefined || compareDecimals(invoiced, before.amount) === 0;
    expect(isSame, `an invoice for ${before.amount}`, `one for ${invoiced ?? ''}`);
  },
};

const isolated: Check = {
  id: 'order.isolated',
  clause: 'The capability: that order, and nothing else',
  rule: 'never uses the invoice or the keys of one order for another',
  fix: 'Find invoices and idempotency keys by the checkout, never by the key alone.',
  async run(context) {
    const other = await context.openAnother();
    const body = { payment_method_id: firstUsableOption(await readCheckout(context)).id };
    const key = randomUUID();
    const here = checkoutIn(await createUntilKnown(context, body, key), 200, 201);
    const there = await readCheckout(context, other);
    expect(
      there.status === 'open' && there.invoice === null,
      'the other order open, without an invoice',
      summarize(there),
    );
    const answer = await createUntilKnown(context, { payment_method_id: firstUsableOption(there).id }, key, other);
    if (answer.status === 409 && problemOf(answer)?.code === 'idempotency_mismatch') return;
    const made = checkoutIn(answer, 200, 201);
    expect(made.id === other, 'the other checkout', 'the first one');
    expect(made.invoice !== null && made.invoice.id !== here.invoice?.id, 'an invoice of its own', 'the first one');
  },
};

export const order: Group = { title: 'Values that only the order sets', checkout: 'fresh', checks: [tampering] };
export const twoOrders: Group = { title: 'Two orders', checkout: 'fresh', checks: [isolated] };
