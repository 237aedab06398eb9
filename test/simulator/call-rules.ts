import { findBurst, groupBy, minuteMs, secondMs, seconds, type History, type Rules } from './indexed-history.ts';

// What must hold of the calls to the service.

/** The first create of each `external_id`. */
function firstCreates(creates: History['creates']) {
  return [...groupBy(creates, ({ externalId }) => externalId)].flatMap(([externalId, [first]]) =>
    first?.orderId === undefined ? [] : [{ at: first.at, orderId: first.orderId, externalId }],
  );
}

export const callRules = {
  'no second invoice while the first is paid': ({ of, creates, invoices, paidAt }, report) => {
    const checks = groupBy(of('check'), ({ orderId }) => orderId);
    const failedFetches = of('fetch_failed');
    const byOrder = groupBy([...invoices.values()], ({ orderId }) => orderId);
    const reported = new Set<string>();
    for (const { at, orderId } of creates) {
      if (orderId === undefined || reported.has(orderId)) continue;
      for (const { invoiceId } of byOrder.get(orderId) ?? []) {
        const paid = paidAt.get(invoiceId) ?? Infinity;
        // He could have known: he pressed "check" after the payment, and no fetch of the invoice failed.
        const check = (checks.get(orderId) ?? []).find((pressed) => pressed.at > paid && pressed.answeredAt < at);
        if (check === undefined) continue;
        const hadTrouble = failedFetches.some(
          (failed) => failed.at > paid - minuteMs && failed.at < at && failed.invoiceIds.includes(invoiceId),
        );
        if (hadTrouble) continue;
        reported.add(orderId);
        report(at, orderId, `a second invoice ${seconds(at - paid)} after the payment of ${invoiceId}, after a check`);
      }
    }
  },

  'one key makes one invoice': ({ of, creates }, report) => {
    const keys = groupBy(of('create_request'), ({ orderId }) => orderId);
    for (const [orderId, calls] of groupBy(creates, ({ orderId }) => orderId)) {
      const externalIds = new Set<string>();
      for (const { at, externalId = '' } of calls) {
        externalIds.add(externalId);
        const keyCount = new Set((keys.get(orderId) ?? []).filter((request) => request.at <= at).map(({ key }) => key))
          .size;
        if (externalIds.size <= keyCount) continue;
        report(at, orderId, `${externalIds.size} creates at the service for ${keyCount} keys`);
        break;
      }
    }
  },

  'a create in doubt is repeated as planned': ({ creates }, report) => {
    for (const [externalId, calls] of groupBy(creates, ({ externalId }) => externalId)) {
      // The plan is 11 calls in 10 minutes, the first one of at most three requests; 1.2 times of it are allowed.
      const at = findBurst(
        calls.map((call) => call.at),
        16,
        10 * minuteMs,
      );
      if (at !== undefined) report(at, calls[0]?.orderId ?? '', `more than 16 creates of ${externalId} in 10 minutes`);
    }
  },

  'an invoice is fetched once a second at most': ({ of, invoices }, report) => {
    const fetches = of('call').flatMap(({ at, invoiceIds }) => invoiceIds.map((id) => ({ id, at })));
    const given = groupBy(of('given'), ({ invoiceId }) => invoiceId);
    for (const [id, fetchesOfInvoice] of groupBy(fetches, ({ id }) => id)) {
      // Once a second, and each call may have one repeat after a lost connection. A service that answers a further create with
      // this invoice has made it the invoice of one more attempt, each of which has a schedule of its own.
      const limit = 20 * (1 + (given.get(id)?.length ?? 0));
      const at = findBurst(
        fetchesOfInvoice.map((fetch) => fetch.at),
        limit,
        10 * secondMs,
      );
      if (at !== undefined)
        report(at, invoices.get(id)?.orderId ?? '', `more than ${limit} fetches of ${id} in 10 seconds`);
    }
  },

  'calls stay within the limits of a process': ({ of }, report) => {
    const limits = { CreateInvoice: 50, FetchPaymentOptions: 10, FetchInvoices: 60 };
    for (const [key, calls] of groupBy(of('call'), ({ server, operation }) => `${operation} of server ${server}`)) {
      const operation = calls[0]?.operation ?? 'FetchInvoices';
      // A restarted process does not know what the one before it has sent.
      const at = findBurst(
        calls.map((call) => call.at),
        2 * limits[operation],
        secondMs,
      );
      if (at !== undefined) report(at, '', `more than ${2 * limits[operation]} calls ${key} in a second`);
    }
  },

  'a new invoice is for an open order': ({ of, creates, outcomes }, report) => {
    const closedAt = new Map(of('closed').map(({ orderId, at }) => [orderId, at]));
    const paidAt = new Map(
      outcomes.flatMap(({ outcome, at }) => (outcome.kind === 'paid' ? [[outcome.orderId, at]] : [])),
    );
    for (const { at, orderId, externalId } of firstCreates(creates)) {
      const endedAt = Math.min(closedAt.get(orderId) ?? Infinity, paidAt.get(orderId) ?? Infinity);
      // A request that had been accepted before may reach the service later.
      if (at - endedAt > minuteMs) report(at, orderId, `${externalId} ${seconds(at - endedAt)} after the order's end`);
    }
  },

  'no second invoice unless the payer asks for one': ({ of, creates, invoices, bankStatusAt }, report) => {
    const requests = groupBy(of('create_request'), ({ orderId }) => orderId);
    const byOrder = groupBy([...invoices.values()], ({ orderId }) => orderId);
    const shownAt = new Map<string, number>();
    for (const { at, invoiceId, isPayable } of of('screen'))
      if (isPayable && invoiceId !== undefined && !shownAt.has(invoiceId)) shownAt.set(invoiceId, at);
    for (const { at, orderId, externalId } of firstCreates(creates))
      for (const { invoiceId, expiresAt, at: createdAt } of byOrder.get(orderId) ?? []) {
        const isAlive = expiresAt > at && bankStatusAt(invoiceId, at) === undefined;
        const isAsked = (requests.get(orderId) ?? []).some(
          (request) => request.at > createdAt && request.at <= at && request.replace,
        );
        if (isAlive && !isAsked && (shownAt.get(invoiceId) ?? Infinity) < at - minuteMs / 2)
          report(at, orderId, `${externalId} is created, and ${invoiceId} can be paid`);
      }
  },
} as const satisfies Rules;
