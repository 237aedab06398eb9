import type { Attempt } from '../ports/attempt.ts';
import {
  InvoiceClaimedError,
  type CheckoutRecord,
  type CheckoutStore,
  type ListCheckouts,
  type SaveListener,
} from '../ports/checkout-store.ts';
import { hasInvoice, invoicesOf, isForeign, isPaidOutcome, deriveStatus } from '../domain/checkout-status.ts';
import { asAsync, claim, compareAge, copyOf, namesOf, refuseTransaction, type Queue } from './memory-store-parts.ts';
import type { Delivery, NewOutcome, Outcome, OutcomeLease, OutcomeRecord } from '../ports/outcome-outbox.ts';

/** A store in memory, for tests and trials, and the reference implementation of the port. It saves and returns copies. */
export function createMemoryStore(): CheckoutStore {
  const checkouts = new Map<string, CheckoutRecord>();
  const checkoutIdOfOrder = new Map<string, string>();
  const checkoutIdOfAttempt = new Map<string, string>();
  const checkoutIdOfInvoice = new Map<string, string>();
  const attemptQueue: Queue = new Map();
  const viewedUntil = new Map<string, number>();
  const outcomes = new Map<string, Outcome>();
  const outcomeQueue: Queue = new Map();
  const deliveries = new Map<string, readonly Delivery[]>();
  /** The identifiers of all outcomes in the order of the feed; those of deleted outcomes stay. */
  const feed: string[] = [];
  const deliveredAt = new Map<string, number>();
  const abandonedAt = new Map<string, number>();
  const listeners = new Set<SaveListener>();

  const enqueue = (externalId: string, at: number | null): void => {
    if (at === null) attemptQueue.delete(externalId);
    else attemptQueue.set(externalId, at);
  };

  /** Stores a checkout. Attempts that are as they were loaded stay as they are: their schedules may have changed since. */
  const putCheckout = (checkout: CheckoutRecord, loaded?: CheckoutRecord): void => {
    const attempts = checkout.attempts.map((attempt) => {
      const stored = loaded?.attempts.includes(attempt) === true ? findAttempt(attempt.externalId)?.attempt : undefined;
      if (stored !== undefined) return stored;
      checkoutIdOfAttempt.set(attempt.externalId, checkout.id);
      enqueue(attempt.externalId, attempt.runAt);
      return attempt;
    });
    checkouts.set(checkout.id, copyOf({ ...checkout, attempts }));
  };

  const findAttempt = (externalId: string): { checkout: CheckoutRecord; attempt: Attempt } | undefined => {
    const checkout = checkouts.get(checkoutIdOfAttempt.get(externalId) ?? '');
    const attempt = checkout?.attempts.find((candidate) => candidate.externalId === externalId);
    return checkout === undefined || attempt === undefined ? undefined : { checkout, attempt };
  };

  /** Changes when an attempt is due, without a new version of its checkout. */
  const reschedule = (
    externalId: string,
    { checkedAt, ...change }: Pick<Attempt, 'runAt'> & { leaseUntil?: number; checkedAt?: number | null },
  ): void => {
    const found = findAttempt(externalId);
    if (found === undefined) return;
    const changedAttempt: Attempt =
      hasInvoice(found.attempt) && checkedAt !== undefined
        ? { ...found.attempt, ...change, checkedAt }
        : { ...found.attempt, ...change };
    const attempts = found.checkout.attempts.map((attempt) =>
      attempt.externalId === externalId ? changedAttempt : attempt,
    );
    checkouts.set(found.checkout.id, { ...found.checkout, attempts });
    enqueue(externalId, change.runAt);
  };

  const isHeld = ({ id, claimedUntil }: OutcomeLease): boolean => outcomeQueue.get(id) === claimedUntil;

  const deleteCheckout = ({ id, params, attempts }: CheckoutRecord): void => {
    checkouts.delete(id);
    if (checkoutIdOfOrder.get(params.orderId) === id) checkoutIdOfOrder.delete(params.orderId);
    for (const { invoice } of invoicesOf({ attempts }))
      if (checkoutIdOfInvoice.get(invoice.id) === id) checkoutIdOfInvoice.delete(invoice.id);
    for (const { externalId } of attempts) {
      checkoutIdOfAttempt.delete(externalId);
      attemptQueue.delete(externalId);
      viewedUntil.delete(externalId);
    }
    for (const outcome of outcomes.values())
      if (outcome.checkoutId === id) {
        outcomes.delete(outcome.id);
        deliveredAt.delete(outcome.id);
        deliveries.delete(outcome.id);
      }
  };

  /** Stores a new outcome with the next number of its checkout. */
  const addOutcome = (outcome: NewOutcome): void => {
    if (outcomes.has(outcome.id)) return;
    const earlierOutcomes = [...outcomes.values()].filter(({ checkoutId }) => checkoutId === outcome.checkoutId);
    outcomes.set(outcome.id, { ...copyOf(outcome), sequence: earlierOutcomes.length + 1 });
    outcomeQueue.set(outcome.id, outcome.occurredAt);
    feed.push(outcome.id);
  };

  const addDelivery = (id: string, delivery: Delivery | undefined): void => {
    if (delivery !== undefined && outcomes.has(id)) deliveries.set(id, [...(deliveries.get(id) ?? []), delivery]);
  };

  const toOutcomeRecord = (outcome: Outcome): OutcomeRecord => ({
    ...copyOf(outcome),
    deliveries: deliveries.get(outcome.id) ?? [],
    nextDeliveryAt: outcomeQueue.get(outcome.id) ?? null,
    deliveredAt: deliveredAt.get(outcome.id) ?? null,
    abandonedAt: abandonedAt.get(outcome.id) ?? null,
  });

  /** The queue entries of the first undelivered outcome of each checkout. */
  const firstUndelivered = (): Queue => {
    const firstOfCheckout = new Map<string, Outcome>();
    for (const id of outcomeQueue.keys()) {
      const outcome = outcomes.get(id);
      if (outcome === undefined) continue;
      const first = firstOfCheckout.get(outcome.checkoutId);
      if (first === undefined || outcome.sequence < first.sequence) firstOfCheckout.set(outcome.checkoutId, outcome);
    }
    return new Map([...firstOfCheckout.values()].map(({ id }) => [id, outcomeQueue.get(id) ?? 0]));
  };

  const isListed = ({ orderId, search, undelivered, status, now }: Omit<ListCheckouts, 'limit'>) => {
    const undeliveredIds = new Set([...outcomeQueue.keys(), ...abandonedAt.keys()]);
    return (checkout: CheckoutRecord): boolean => {
      const ids = [...outcomes.values()].filter(({ checkoutId }) => checkoutId === checkout.id).map(({ id }) => id);
      return (
        (orderId === undefined || checkout.params.orderId === orderId) &&
        (search === undefined || [...namesOf(checkout), ...ids].includes(search)) &&
        (undelivered !== true || ids.some((id) => undeliveredIds.has(id))) &&
        (status === undefined || deriveStatus(checkout, now) === status)
      );
    };
  };

  return {
    insert: asAsync((checkout, transaction) => {
      refuseTransaction(transaction);
      if (checkouts.has(checkout.id)) throw new Error('there is a checkout with this identifier already');
      const { orderId } = checkout.params;
      if (checkoutIdOfOrder.has(orderId)) return false;
      checkoutIdOfOrder.set(orderId, checkout.id);
      putCheckout(checkout);
      return true;
    }),
    loadByOrder: asAsync((orderId) => copyOf(checkouts.get(checkoutIdOfOrder.get(orderId) ?? ''))),

    load: asAsync((id) => copyOf(checkouts.get(id))),
    loadVersion: asAsync((id) => copyOf(checkouts.get(id))),

    save: asAsync((checkout, newOutcomes, { loaded, transaction } = {}) => {
      refuseTransaction(transaction);
      if (checkouts.get(checkout.id)?.version !== checkout.version - 1) return false;
      const claims = invoicesOf(checkout).flatMap((attempt) => (isForeign(attempt) ? [] : [attempt.invoice.id]));
      if (claims.some((id) => (checkoutIdOfInvoice.get(id) ?? checkout.id) !== checkout.id))
        throw new InvoiceClaimedError();
      for (const id of claims) checkoutIdOfInvoice.set(id, checkout.id);
      putCheckout(checkout, loaded);
      newOutcomes.forEach(addOutcome);
      for (const listener of listeners) listener(checkout.id, newOutcomes.length > 0);
      return true;
    }),

    list: asAsync(({ createdAfter = -Infinity, createdBefore = Infinity, after, limit, ...filters }) =>
      copyOf(
        [...checkouts.values()]
          .filter(isListed(filters))
          .filter(({ createdAt }) => createdAt > createdAfter && createdAt < createdBefore)
          .filter((checkout) => after === undefined || compareAge(checkout, after) < 0)
          .sort((left, right) => compareAge(right, left))
          .slice(0, limit),
      ),
    ),

    claimDueAttempts: asAsync((now, leaseUntil, limit) =>
      claim(attemptQueue, now, leaseUntil, limit).flatMap((externalId) => {
        const found = findAttempt(externalId);
        if (found === undefined) return [];
        const { checkout, attempt } = found;
        const { createdAt, runAt } = attempt;
        const due = { checkoutId: checkout.id, externalId, createdAt, runAt: runAt ?? now, claimedUntil: leaseUntil };
        if (!hasInvoice(attempt)) return { ...due, invoiceId: null };
        const { invoice, serviceStatus, outcome, expiresAt, checkedAt } = attempt;
        const viewEnd = viewedUntil.get(externalId) ?? null;
        return { ...due, invoiceId: invoice.id, serviceStatus, outcome, expiresAt, checkedAt, viewedUntil: viewEnd };
      }),
    ),

    reschedule: asAsync((changes) => {
      for (const { externalId, runAt, checkedAt, claimedUntil, claimedRunAt } of changes) {
        if (claimedUntil !== null && attemptQueue.get(externalId) !== claimedUntil) continue;
        const storedRunAt = findAttempt(externalId)?.attempt.runAt ?? null;
        const isRequested = claimedRunAt !== undefined && storedRunAt !== null && storedRunAt !== claimedRunAt;
        reschedule(externalId, {
          runAt: isRequested ? Math.min(storedRunAt, runAt ?? storedRunAt) : runAt,
          checkedAt,
        });
      }
    }),

    expedite: asAsync((checkoutIds, at, until, isRequested = false) => {
      for (const id of checkoutIds)
        for (const attempt of invoicesOf({ attempts: checkouts.get(id)?.attempts ?? [] })) {
          const { externalId, runAt, outcome } = attempt;
          const isUnpaid = !isForeign(attempt) && !isPaidOutcome(outcome);
          if (isRequested ? !isUnpaid : runAt === null || outcome !== 'pending') continue;
          const claimableAt = attemptQueue.get(externalId) ?? null;
          const isClaimed = claimableAt !== runAt;
          if (runAt === null || (isClaimed ? runAt < at : runAt > at)) {
            reschedule(externalId, { runAt: at });
            // A claim is kept until its fetch has ended.
            if (isClaimed) enqueue(externalId, claimableAt);
          }
          if (until !== undefined) viewedUntil.set(externalId, Math.max(until, viewedUntil.get(externalId) ?? 0));
        }
    }),

    expediteUnresolved: asAsync((words, at) => {
      for (const { externalId, outcome, serviceStatus } of [...checkouts.values()].flatMap(invoicesOf)) {
        const isKnown = words.includes(serviceStatus?.trim().toLowerCase() ?? '');
        if (outcome === 'unresolved' && isKnown) reschedule(externalId, { runAt: at });
      }
    }),

    renewAttemptLease: asAsync((externalId, callCount, leaseUntil) => {
      const attempt = findAttempt(externalId)?.attempt;
      if (attempt?.callCount === callCount && attempt.leaseUntil > 0)
        reschedule(externalId, { leaseUntil, runAt: leaseUntil });
    }),

    shiftSchedule: asAsync((after, ms) => {
      for (const [externalId, claimableAt] of attemptQueue) {
        const attempt = findAttempt(externalId)?.attempt;
        if (attempt === undefined || claimableAt <= after) continue;
        const { runAt, leaseUntil } = attempt;
        const checkedAt = hasInvoice(attempt) ? attempt.checkedAt : null;
        reschedule(externalId, {
          runAt: runAt === null ? null : runAt + ms,
          leaseUntil: leaseUntil === 0 ? 0 : leaseUntil + ms,
          checkedAt: checkedAt === null ? null : checkedAt + ms,
        });
        attemptQueue.set(externalId, claimableAt + ms);
        const viewEnd = viewedUntil.get(externalId);
        if (viewEnd !== undefined) viewedUntil.set(externalId, viewEnd + ms);
      }
      for (const [id, time] of outcomeQueue) if (time > after) outcomeQueue.set(id, time + ms);
    }),

    nextRunAt: asAsync(() => {
      let earliest: number | undefined;
      for (const at of attemptQueue.values()) earliest = Math.min(at, earliest ?? at);
      return earliest;
    }),

    claimOutcomes: asAsync((now, leaseUntil, limit) => {
      const claimed = claim(firstUndelivered(), now, leaseUntil, limit).flatMap((id) => outcomes.get(id) ?? []);
      for (const { id } of claimed) outcomeQueue.set(id, leaseUntil);
      return copyOf(claimed).sort((left, right) => left.occurredAt - right.occurredAt);
    }),

    countOutcomes: asAsync(() => {
      const [oldestAt = null] = [...outcomeQueue.keys()]
        .flatMap((id) => outcomes.get(id)?.occurredAt ?? [])
        .sort((left, right) => left - right);
      return { undelivered: outcomeQueue.size, oldestAt, abandoned: abandonedAt.size };
    }),

    listOutcomes: asAsync((checkoutId) =>
      [...outcomes.values()].filter((outcome) => outcome.checkoutId === checkoutId).map(toOutcomeRecord),
    ),

    readOutcomes: asAsync((after, limit) =>
      feed
        .flatMap((id, index) => {
          const outcome = index < after ? undefined : outcomes.get(id);
          return outcome === undefined ? [] : { ...toOutcomeRecord(outcome), position: index + 1 };
        })
        .slice(0, limit),
    ),

    renewOutcomeLeases: asAsync((leases, leaseUntil) => {
      for (const lease of leases) if (isHeld(lease)) outcomeQueue.set(lease.id, leaseUntil);
    }),

    markOutcomeDelivered: asAsync((id, at, delivery) => {
      addDelivery(id, delivery);
      if (!outcomes.has(id) || deliveredAt.has(id)) return;
      outcomeQueue.delete(id);
      abandonedAt.delete(id);
      deliveredAt.set(id, at);
    }),

    retryOutcome: asAsync((lease, at, delivery) => {
      addDelivery(lease.id, delivery);
      if (isHeld(lease)) outcomeQueue.set(lease.id, at);
    }),

    abandonOutcome: asAsync((lease, at, delivery) => {
      addDelivery(lease.id, delivery);
      if (!isHeld(lease)) return;
      outcomeQueue.delete(lease.id);
      abandonedAt.set(lease.id, at);
    }),

    redeliverOutcome: asAsync((id, at) => {
      const outcome = outcomes.get(id);
      if (outcome === undefined) return undefined;
      deliveredAt.delete(id);
      abandonedAt.delete(id);
      outcomeQueue.set(id, at);
      return outcome.checkoutId;
    }),

    purge: asAsync(({ createdBefore, expiredBefore, after, limit }) => {
      const examined = [...checkouts.values()]
        .filter(({ createdAt }) => createdAt < createdBefore)
        .filter((checkout) => after === undefined || compareAge(checkout, after) > 0)
        .sort(compareAge)
        .slice(0, limit);
      const undeliveredIds = [...outcomeQueue.keys(), ...abandonedAt.keys()];
      const checkoutsWithUndelivered = new Set(undeliveredIds.map((id) => outcomes.get(id)?.checkoutId));
      const settled = examined.filter(
        ({ id, capabilityAt, paidExternalId, attempts }) =>
          (paidExternalId !== null || capabilityAt < expiredBefore) &&
          attempts.every(({ runAt }) => runAt === null) &&
          !checkoutsWithUndelivered.has(id),
      );
      for (const checkout of settled) deleteCheckout(checkout);
      const last = examined.length < limit ? undefined : examined.at(-1);
      return { deleted: settled.length, next: last && { createdAt: last.createdAt, id: last.id } };
    }),

    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
