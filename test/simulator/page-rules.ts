import { compareDecimals } from '../../src/service-api.ts';
import { findBurst, groupBy, minuteMs, secondMs, seconds, type Rules } from './indexed-history.ts';

// What must hold of the payers' pages.

/**
 * How long a page may take to change after the deadline of an invoice. A page cannot know how long an answer with the remaining
 * time travelled: in the simulated network up to 12 s.
 */
const screenGraceMs = 13 * secondMs;

/** For how long after a step back of the clocks a server that has been restarted may not know the time: the service tells it. */
const unknownTimeMs = 5 * minuteMs;

export const pageRules = {
  'a page shows paid only after a payment': ({ of, invoices, paidAt }, report) => {
    const byOrder = groupBy([...invoices.values()], ({ orderId }) => orderId);
    for (const { at, tab, orderId, screen } of of('screen')) {
      if (screen !== 'paid') continue;
      const isPaid = (byOrder.get(orderId) ?? []).some(({ invoiceId }) => (paidAt.get(invoiceId) ?? Infinity) <= at);
      if (!isPaid) report(at, orderId, `${tab} shows paid, and no invoice of the order was paid`);
    }
  },

  'a page shows only invoices of its order and amount': ({ of, invoices, amounts }, report) => {
    // When the answer to an order was lost, the shop cannot know that the service gives its invoice to another order.
    const given = new Set(of('given').map(({ invoiceId, orderId }) => `${invoiceId} ${orderId}`));
    const shownFor = new Map<string, string>();
    for (const { at, tab, orderId, invoiceId, amount, isPayable } of of('screen')) {
      if (!isPayable || invoiceId === undefined) continue;
      const invoice = invoices.get(invoiceId);
      const ordered = amounts.get(orderId);
      const firstOrderId = shownFor.get(invoiceId) ?? orderId;
      shownFor.set(invoiceId, firstOrderId);
      if (invoice?.orderId !== orderId && !given.has(`${invoiceId} ${orderId}`))
        report(at, orderId, `${tab} shows an invoice of ${invoice?.orderId ?? 'nobody'}`);
      else if (firstOrderId !== orderId) report(at, orderId, `${tab} shows an invoice that ${firstOrderId} has`);
      else if (typeof ordered === 'string' && compareDecimals(amount ?? '0', ordered) !== 0)
        report(at, orderId, `${tab} shows ${amount ?? ''} instead of ${ordered}`);
    }
  },

  'no invoice is payable after its deadline': ({ of, invoices }, report) => {
    const setBack = of('clocks_set_back');
    const isTimeUnknown = (at: number): boolean =>
      setBack.some((step) => step.at <= at && at - step.at < unknownTimeMs);
    for (const [tab, screens] of groupBy(of('screen'), ({ tab }) => tab))
      screens.forEach(({ at, isPayable, knowsDeadline, invoiceId, orderId }, index) => {
        const until = screens[index + 1]?.at;
        const deadline = invoices.get(invoiceId ?? '')?.expiresAt;
        if (!isPayable || !knowsDeadline || until === undefined || deadline === undefined || isTimeUnknown(at)) return;
        if (until - Math.max(at, deadline + screenGraceMs) > secondMs)
          report(
            until,
            orderId,
            `${tab} shows ${invoiceId ?? ''} as payable ${seconds(until - deadline)} after its deadline`,
          );
      });
  },

  'a page polls plainly only after two cut long polls': ({ of }, report) => {
    for (const [tab, reads] of groupBy(of('read'), ({ tab }) => tab)) {
      let cuts = 0;
      const withoutCause: number[] = [];
      for (const { read, at } of reads) {
        if (read === 'plain' && cuts < 2) withoutCause.push(at);
        if (read !== 'plain') cuts = read === 'cut' ? cuts + 1 : 0;
      }
      // A read of every 2 s gives 30 in a minute. Fewer may be repeats, or the payer's own checks.
      const at = findBurst(withoutCause, 24, minuteMs);
      if (at !== undefined) report(at, reads[0]?.orderId ?? '', `${tab} sends more than 24 plain reads in a minute`);
    }
  },

  'a page follows its checkout': ({ of }, report) => {
    const lastScreens = new Map(of('screen').map((screen) => [screen.tab, screen]));
    const ends = new Map(of('end').map((end) => [end.orderId, end]));
    for (const { tab, orderId, screen } of lastScreens.values()) {
      const end = ends.get(orderId);
      if (end === undefined || screen === 'gone' || screen === 'lost') continue;
      if ((end.status === 'paid') !== (screen === 'paid') || screen === 'loading' || screen === 'creating')
        report(end.at, orderId, `${tab} shows ${screen} at the end, and the checkout is ${end.status}`);
    }
  },
} as const satisfies Rules;
