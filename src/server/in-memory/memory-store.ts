import type { Attempt, CheckoutRecord, CheckoutStore, SaveListener } from '../ports/checkout-store.ts';
import type { NewOutcome, Outcome, OutcomeLease } from '../ports/outcome-outbox.ts';

/** When an attempt or an outcome can be claimed next; null: never. */
interface QueueEntry {
  readonly at: number | null;
}

/**
 * A store in memory, for tests and trials, and the reference implementation of the port. Records are copied in and out.
 */
export function createMemoryStore(): CheckoutStore {
  const checkouts = new Map<string, CheckoutRecord>();
  const checkoutIdOfOrder = new Map<string, string>();
  const checkoutIdOfAttempt = new Map<string, string>();
  const attemptQueue = new Map<string, QueueEntry>();
  const viewedUntil = new Map<string, number>();
  const outcomes = new Map<string, Outcome>();
  const outcomeQueue = new Map<string, QueueEntry>();
  const delivered = new Map<string, number>();
  const abandoned = new Map<string, number>();
  const listeners = new Set<SaveListener>();

  const put = (checkout: CheckoutRecord): void => {
    checkouts.set(checkout.id, structuredClone(checkout));
    for (const { externalId, runAt } of checkout.attempts) {
      checkoutIdOfAttempt.set(externalId, checkout.id);
      attemptQueue.set(externalId, { at: runAt });
    }
  };

  const findAttempt = (externalId: string): { checkout: CheckoutRecord; attempt: Attempt } | undefined => {
    // Stryker disable next-line StringLiteral: No checkout has this identifier.
    const checkout = checkouts.get(checkoutIdOfAttempt.get(externalId) ?? '');
    const found = checkout?.attempts.find((one) => one.externalId === externalId);
    // Stryker disable next-line all: A known attempt is always in its checkout: both are missing, or neither.
    return checkout === undefined || found === undefined ? undefined : { checkout, attempt: found };
  };

  /** Sets when an attempt is due, without a new version of its checkout. */
  const reschedule = (externalId: string, change: Pick<Attempt, 'runAt'> & Partial<Attempt>): void => {
    const found = findAttempt(externalId);
    if (found === undefined) return;
    const changed = { ...found.attempt, ...change };
    const attempts = found.checkout.attempts.map((known) => (known.externalId === externalId ? changed : known));
    checkouts.set(found.checkout.id, { ...found.checkout, attempts });
    attemptQueue.set(externalId, { at: change.runAt });
  };

  const isHeld = ({ id, claimedUntil }: OutcomeLease): boolean => outcomeQueue.get(id)?.at === claimedUntil;

  const remove = ({ id, params, attempts }: CheckoutRecord): void => {
    checkouts.delete(id);
    // Stryker disable next-line ConditionalExpression: The memory store has one checkout of an order.
    if (checkoutIdOfOrder.get(params.orderId) === id) checkoutIdOfOrder.delete(params.orderId);
    for (const { externalId } of attempts) {
      checkoutIdOfAttempt.delete(externalId);
      attemptQueue.delete(externalId);
      viewedUntil.delete(externalId);
    }
    for (const outcome of outcomes.values())
      if (outcome.checkoutId === id) {
        outcomes.delete(outcome.id);
        delivered.delete(outcome.id);
      }
  };

  /** Stores a new outcome with the next number of its checkout. */
  const addOutcome = (outcome: NewOutcome): void => {
    if (outcomes.has(outcome.id)) return;
    const earlier = [...outcomes.values()].filter(({ checkoutId }) => checkoutId === outcome.checkoutId);
    outcomes.set(outcome.id, { ...structuredClone(outcome), sequence: earlier.length + 1 });
    outcomeQueue.set(outcome.id, { at: outcome.occurredAt });
  };

  const isPaidByOther = (orderId: string, checkoutId: string): boolean =>
    [...outcomes.values()].some(
      (outcome) => outcome.kind === 'paid' && outcome.orderId === orderId && outcome.checkoutId !== checkoutId,
    );

  /** The first undelivered outcome of each checkout. */
  const deliverable = (): Map<string, QueueEntry> => {
    const first = new Map<string, Outcome>();
    for (const id of outcomeQueue.keys()) {
      const outcome = outcomes.get(id);
      // Stryker disable next-line all: Every queued outcome is stored. The check narrows the type.
      if (outcome === undefined) continue;
      const known = first.get(outcome.checkoutId);
      if (known === undefined || outcome.sequence < known.sequence) first.set(outcome.checkoutId, outcome);
    }
    return new Map([...first.values()].map(({ id }) => [id, outcomeQueue.get(id) ?? { at: null }]));
  };

  return {
    insert: asAsync((checkout, transaction) => {
      if (transaction !== undefined) throw new TypeError('transaction: a store in memory has no transactions');
      if (checkouts.has(checkout.id)) throw new Error('there is a checkout with this identifier already');
      const { orderId } = checkout.params;
      if (checkoutIdOfOrder.has(orderId)) return false;
      checkoutIdOfOrder.set(orderId, checkout.id);
      put(checkout);
      return true;
    }),

    // Stryker disable next-line StringLiteral: No checkout has this identifier.
    loadByOrder: asAsync((orderId) => structuredClone(checkouts.get(checkoutIdOfOrder.get(orderId) ?? ''))),

    load: asAsync((id) => structuredClone(checkouts.get(id))),

    save: asAsync((checkout, newOutcomes) => {
      if (checkouts.get(checkout.id)?.version !== checkout.version - 1) return false;
      const paid = newOutcomes.find(({ kind }) => kind === 'paid');
      if (paid !== undefined && isPaidByOther(paid.orderId, paid.checkoutId)) return false;
      put(checkout);
      newOutcomes.forEach(addOutcome);
      for (const listener of listeners) listener(checkout.id, newOutcomes.length > 0);
      return true;
    }),

    isPaidByOtherCheckout: asAsync(isPaidByOther),

    claimDueAttempts: asAsync((now, leaseUntil, limit, checkoutIds) => {
      const isWanted = (externalId: string): boolean =>
        checkoutIds?.includes(checkoutIdOfAttempt.get(externalId) ?? '') !== false;
      return claim(attemptQueue, now, leaseUntil, limit, isWanted).flatMap((externalId) => {
        const found = findAttempt(externalId);
        // Stryker disable next-line all: Every queued identifier is known. The check narrows the type.
        if (found === undefined) return [];
        const { stage, invoice, serviceStatus, outcome, createdAt, expiresAt, checkedAt, runAt } = found.attempt;
        return {
          checkoutId: found.checkout.id,
          externalId,
          stage,
          invoiceId: invoice?.id ?? null,
          serviceStatus,
          outcome,
          createdAt,
          expiresAt,
          checkedAt,
          viewedUntil: viewedUntil.get(externalId) ?? null,
          runAt: runAt ?? now,
          claimedUntil: leaseUntil,
        };
      });
    }),

    reschedule: asAsync((changes) => {
      for (const { externalId, runAt, checkedAt, claimedUntil } of changes)
        if (claimedUntil === null || attemptQueue.get(externalId)?.at === claimedUntil)
          reschedule(externalId, { runAt, checkedAt });
    }),

    expedite: asAsync((checkoutIds, at, until) => {
      for (const id of checkoutIds)
        // Stryker disable next-line ArrayDeclaration: An element that is not an attempt is never due.
        for (const { externalId, runAt } of checkouts.get(id)?.attempts ?? []) {
          if (runAt === null) continue;
          if (runAt > at) reschedule(externalId, { runAt: at });
          if (until !== undefined) viewedUntil.set(externalId, Math.max(until, viewedUntil.get(externalId) ?? 0));
        }
    }),

    renewAttemptLease: asAsync((externalId, callCount, leaseUntil) => {
      const held = findAttempt(externalId)?.attempt;
      if (held?.callCount === callCount && held.leaseUntil > 0)
        reschedule(externalId, { leaseUntil, runAt: leaseUntil });
    }),

    shiftSchedule: asAsync((after, ms) => {
      const isLater = (at: number | null): at is number => at !== null && at > after;
      for (const [externalId, { at }] of attemptQueue) {
        const moved = findAttempt(externalId)?.attempt;
        // Stryker disable next-line ConditionalExpression: Every queued identifier is known. The check narrows the type.
        if (moved === undefined || !isLater(at)) continue;
        const { runAt, leaseUntil, checkedAt } = moved;
        reschedule(externalId, {
          runAt: runAt === null ? null : runAt + ms,
          leaseUntil: leaseUntil === 0 ? 0 : leaseUntil + ms,
          checkedAt: checkedAt === null ? null : checkedAt + ms,
        });
        attemptQueue.set(externalId, { at: at + ms });
        const until = viewedUntil.get(externalId);
        if (until !== undefined) viewedUntil.set(externalId, until + ms);
      }
      for (const [id, { at }] of outcomeQueue) if (isLater(at)) outcomeQueue.set(id, { at: at + ms });
    }),

    nextRunAt: asAsync(() => {
      const times = [...attemptQueue.values()].flatMap(({ at }) => at ?? []);
      return times.length === 0 ? undefined : times.reduce((one, other) => Math.min(one, other));
    }),

    claimOutcomes: asAsync((now, leaseUntil, limit) => {
      // Stryker disable next-line ArrayDeclaration,OptionalChaining: Every queued outcome is stored. The default and the check narrow the type.
      const claimed = claim(deliverable(), now, leaseUntil, limit).flatMap((id) => outcomes.get(id) ?? []);
      for (const { id } of claimed) outcomeQueue.set(id, { at: leaseUntil });
      return structuredClone(claimed).sort((one, other) => one.occurredAt - other.occurredAt);
    }),

    oldestOutcomeAt: asAsync(() => {
      // Stryker disable next-line ArrayDeclaration,OptionalChaining: Every queued outcome is stored. The default and the check narrow the type.
      const times = [...outcomeQueue.keys()].flatMap((id) => outcomes.get(id)?.occurredAt ?? []);
      return times.length === 0 ? undefined : times.reduce((one, other) => Math.min(one, other));
    }),

    countUndeliveredOutcomes: asAsync(() => outcomeQueue.size),
    countAbandonedOutcomes: asAsync(() => abandoned.size),

    listOutcomes: asAsync((checkoutId) =>
      [...outcomes.values()]
        .filter((outcome) => outcome.checkoutId === checkoutId)
        .map((outcome) => ({
          ...structuredClone(outcome),
          deliveredAt: delivered.get(outcome.id) ?? null,
          abandonedAt: abandoned.get(outcome.id) ?? null,
        })),
    ),

    renewOutcomeLeases: asAsync((leases, leaseUntil) => {
      for (const lease of leases) if (isHeld(lease)) outcomeQueue.set(lease.id, { at: leaseUntil });
    }),

    markOutcomeDelivered: asAsync((id, at) => {
      if (!outcomes.has(id) || delivered.has(id)) return;
      outcomeQueue.delete(id);
      abandoned.delete(id);
      delivered.set(id, at);
    }),

    retryOutcome: asAsync((lease, at) => {
      if (isHeld(lease)) outcomeQueue.set(lease.id, { at });
    }),

    abandonOutcome: asAsync((lease, at) => {
      if (!isHeld(lease)) return;
      outcomeQueue.delete(lease.id);
      abandoned.set(lease.id, at);
    }),

    redeliverOutcome: asAsync((id, at) => {
      if (!outcomes.has(id)) return false;
      delivered.delete(id);
      abandoned.delete(id);
      outcomeQueue.set(id, { at });
      return true;
    }),

    purge: asAsync(({ createdBefore, unpaidCreatedBefore, after, limit }) => {
      const examined = [...checkouts.values()]
        .filter(({ createdAt }) => createdAt < createdBefore)
        .filter((one) => after === undefined || compareAge(one, after) > 0)
        .sort(compareAge)
        .slice(0, limit);
      const undeliveredIds = [...outcomeQueue.keys(), ...abandoned.keys()];
      const undelivered = new Set(undeliveredIds.map((id) => outcomes.get(id)?.checkoutId));
      const settled = examined.filter(
        ({ id, createdAt, paidExternalId, attempts }) =>
          (paidExternalId !== null || createdAt < unpaidCreatedBefore) &&
          attempts.every(({ runAt }) => runAt === null) &&
          !undelivered.has(id),
      );
      for (const checkout of settled) remove(checkout);
      const last = examined.length < limit ? undefined : examined.at(-1);
      return { deleted: settled.length, next: last && { createdAt: last.createdAt, id: last.id } };
    }),

    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Orders checkouts by the time of their creation, then by their identifier. */
function compareAge(one: Pick<CheckoutRecord, 'id' | 'createdAt'>, other: typeof one): number {
  return one.createdAt - other.createdAt || (one.id < other.id ? -1 : Number(one.id > other.id));
}

/** Makes a function asynchronous, as the calls of a database are. */
function asAsync<A extends readonly unknown[], T>(work: (...args: A) => T): (...args: A) => Promise<T> {
  return async (...args) => {
    await Promise.resolve();
    return work(...args);
  };
}

/** Claims up to `limit` entries that are due, earliest first, and returns their names. */
function claim(
  queue: Map<string, QueueEntry>,
  now: number,
  leaseUntil: number,
  limit: number,
  isWanted: (name: string) => boolean = () => true,
): readonly string[] {
  const due = [...queue].flatMap(([name, { at }]) => (at !== null && at <= now && isWanted(name) ? { name, at } : []));
  const names = due.sort((one, other) => one.at - other.at).slice(0, limit);
  for (const { name } of names) queue.set(name, { at: leaseUntil });
  return names.map(({ name }) => name);
}
