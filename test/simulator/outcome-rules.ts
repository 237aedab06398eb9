import { compareDecimals } from '../../src/service-api.ts';
import { groupBy, minuteMs, seconds, type Rules } from './indexed-history.ts';
import { unlistedWord } from './service.ts';

// What must hold of payments and outcomes.

const paymentKinds: readonly string[] = ['paid', 'duplicate_payment', 'amount_mismatch', 'test_payment'];

/** A fetch that began before a payment may end this much later. */
const fetchAndSaveMs = minuteMs;

const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** An invoice that has ended is watched for this time after its deadline: the default of `timing.lateMs`. */
const watchedMs = 2 * dayMs;

export const outcomeRules = {
  'every record keeps the rules of records': ({ of }, report) => {
    for (const { at, rule } of of('record_rule_broken')) report(at, '', rule);
  },

  'each payment gives one outcome of its order and amount': ({ paidAt, invoices, outcomes }, report) => {
    const payments = groupBy(
      outcomes.filter(({ outcome, isApplied }) => isApplied && paymentKinds.includes(outcome.kind)),
      ({ outcome }) => outcome.invoiceId ?? '',
    );
    for (const [invoiceId, at] of paidAt) {
      const invoice = invoices.get(invoiceId);
      if (invoice === undefined) continue;
      const { orderId, amount } = invoice;
      const told = payments.get(invoiceId) ?? [];
      const kinds = told.map(({ outcome }) => `${outcome.kind} of ${outcome.orderId}`).join(', ');
      if (told.length === 0) {
        // The service gave the invoice to another order, whose payer saw it: a person has to find out whose payment it is.
        const isUnresolved = outcomes.some(
          ({ outcome }) => outcome.kind === 'invoice_unresolved' && outcome.invoiceId === invoiceId,
        );
        if (at < invoice.at + watchedMs && !isUnresolved)
          report(at, orderId, `${invoiceId} was paid, and the shop never hears of it`);
      } else if (told.length > 1)
        report(told[1]?.at ?? at, orderId, `${invoiceId} was paid once, and told as ${kinds}`);
      else if (told[0]?.outcome.orderId !== orderId)
        report(told[0]?.at ?? at, orderId, `${invoiceId} was paid for ${orderId}, and told as ${kinds}`);
      else if (compareDecimals(told[0].outcome.amount, amount) !== 0 && told[0].outcome.kind !== 'amount_mismatch')
        report(told[0].at, orderId, `${invoiceId} was paid with ${amount}, and told as ${told[0].outcome.amount}`);
    }
  },

  'no payment is invented': ({ paidAt, outcomes }, report) => {
    for (const { at, outcome } of outcomes) {
      const paid = paidAt.get(outcome.invoiceId ?? '') ?? Infinity;
      if (paymentKinds.includes(outcome.kind) && paid > at)
        report(at, outcome.orderId, `${outcome.kind} is told, and ${outcome.invoiceId ?? 'no invoice'} was not paid`);
    }
  },

  'an order is paid once': ({ outcomes }, report) => {
    for (const [orderId, paid] of groupBy(outcomes, ({ outcome }) =>
      outcome.kind === 'paid' ? outcome.orderId : undefined,
    ))
      if (paid.length > 1)
        report(paid[1]?.at ?? 0, orderId, `told as paid by ${paid.map(({ outcome }) => outcome.invoiceId).join(', ')}`);
  },

  // While the store or the shop is away, an outcome that was saved before the payment is told after it, and `paid` follows.
  'a paid invoice is not told as failed or expired': ({ creates, paidAt, savedAt, outcomes }, report) => {
    for (const { at, outcome } of outcomes) {
      const saved = savedAt.get(outcome.id) ?? at;
      const paid = paidAt.get(outcome.invoiceId ?? '') ?? Infinity;
      const lateMs = saved - paid;
      // The invoice had ended before, and the payer had asked for another: when that create fails, the checkout is as it was.
      const hasLaterCreate = creates.some(
        (call) =>
          call.orderId === outcome.orderId &&
          call.externalId !== outcome.externalId &&
          call.at > paid &&
          call.at <= saved,
      );
      if ((outcome.kind === 'failed' || outcome.kind === 'expired') && lateMs > fetchAndSaveMs && !hasLaterCreate)
        report(
          at,
          outcome.orderId,
          `${outcome.kind} is saved ${seconds(lateMs)} after the payment of ${outcome.invoiceId ?? ''}`,
        );
    }
  },

  'outcomes come in order': ({ events }, report) => {
    const last = new Map<string, number>();
    for (const event of events) {
      if (event.kind !== 'outcome') continue;
      const { checkoutId, sequence, orderId } = event.outcome;
      const expected = (last.get(checkoutId) ?? 0) + 1;
      if (sequence > expected) report(event.at, orderId, `outcome ${sequence} comes before outcome ${expected}`);
      last.set(checkoutId, Math.max(last.get(checkoutId) ?? 0, sequence));
    }
  },

  'the last outcome is the status of the checkout': ({ of, outcomes }, report) => {
    const toldByOrder = groupBy(
      outcomes.filter(({ isApplied }) => isApplied),
      ({ outcome }) => outcome.orderId,
    );
    for (const { at, orderId, status } of of('end')) {
      const kinds = (toldByOrder.get(orderId) ?? []).map(({ outcome }) => outcome.kind);
      if (status !== 'paid' && kinds.includes('paid')) report(at, orderId, `the checkout is ${status} after paid`);
      if (status !== 'failed' && status !== 'expired' && status !== 'paid') continue;
      if (!kinds.includes(status))
        report(at, orderId, `the checkout is ${status}, and the shop was told: ${kinds.join(', ') || 'nothing'}`);
    }
  },

  'every checkout reaches its end': ({ of, outcomes, invoices: known }, report) => {
    const toldByOrder = groupBy(outcomes, ({ outcome }) => outcome.orderId);
    for (const { at, orderId, status, invoices } of of('end')) {
      const kinds = new Set((toldByOrder.get(orderId) ?? []).map(({ outcome }) => outcome.kind as string));
      const isTold = ['amount_mismatch', 'create_unresolved', 'invoice_unresolved'].some((kind) => kinds.has(kind));
      // An invoice that the service gave to another order before is that order's.
      const open = invoices.filter(
        (invoice) =>
          (invoice.status === 'pending' || invoice.status === 'creating') &&
          (known.get(invoice.id ?? '')?.orderId ?? orderId) === orderId,
      );
      if (open.length > 0 && !isTold && status !== 'paid')
        report(
          at,
          orderId,
          `the checkout is ${status}: ${open.map(({ externalId, status }) => `${externalId} is ${status}`).join(', ')}`,
        );
    }
  },

  'nothing is told after paid, except duplicates': ({ outcomes }, report) => {
    for (const [orderId, told] of groupBy(outcomes, ({ outcome }) => outcome.orderId)) {
      const paid = told.find(({ outcome }) => outcome.kind === 'paid')?.outcome.sequence ?? Infinity;
      const late = told.find(
        ({ outcome }) => outcome.sequence > paid && (outcome.kind === 'failed' || outcome.kind === 'expired'),
      );
      if (late !== undefined) report(late.at, orderId, `${late.outcome.kind} is told after paid`);
    }
  },

  'failed and expired are told as the bank says': ({ of, invoices, outcomes }, report) => {
    const statuses = groupBy(of('bank'), ({ invoiceId }) => invoiceId);
    for (const { at, outcome } of outcomes) {
      if (outcome.kind !== 'failed' && outcome.kind !== 'expired') continue;
      const invoiceId = outcome.invoiceId ?? '';
      const [first, second] = statuses.get(invoiceId) ?? [];
      // The service has never said another word: the bank held the payment before the deadline, and holds it still.
      const isHeld = first?.status === unlistedWord && first.at < (invoices.get(invoiceId)?.expiresAt ?? 0);
      if (isHeld && at > first.at && at < (second?.at ?? Infinity))
        report(at, outcome.orderId, `${outcome.kind} is told, and the bank says ${unlistedWord}`);
    }
  },

  'a create is given up after a day': ({ creates, outcomes }, report) => {
    const createsById = groupBy(creates, ({ externalId }) => externalId);
    for (const { at, outcome } of outcomes) {
      const first = createsById.get(outcome.externalId)?.[0]?.at ?? at;
      if (outcome.kind === 'create_unresolved' && at - first < dayMs - 2 * hourMs)
        report(at, outcome.orderId, `${outcome.externalId} is given up after ${seconds(at - first)}`);
    }
  },
} as const satisfies Rules;
