import { randomId, systemRandom } from '../../base/random.ts';
import type {
  Delivery,
  NewOutcome,
  Outcome,
  OutcomeLease,
  OutcomeOutbox,
  OutcomeRecord,
} from '../ports/outcome-outbox.ts';

interface StoredOutcome extends Pick<OutcomeRecord, 'deliveries' | 'nextDeliveryAt' | 'deliveredAt' | 'abandonedAt'> {
  readonly outcome: Outcome;
  /** Its place in the feed. The places of deleted outcomes stay empty. */
  readonly position: number;
}

/** The outcomes of a store in memory: the methods of the outbox, and what the store does with the outcomes of a checkout. */
export function createMemoryOutbox() {
  /** By their `id`, in the order of the feed. */
  const outcomes = new Map<string, StoredOutcome>();
  let lastPosition = 0;
  const storeId = randomId(systemRandom);

  const outcomesOf = (checkoutId: string): readonly StoredOutcome[] =>
    [...outcomes.values()].filter(({ outcome }) => outcome.checkoutId === checkoutId);

  const change = (id: string, changes: Partial<StoredOutcome>): void => {
    const stored = outcomes.get(id);
    if (stored !== undefined) outcomes.set(id, { ...stored, ...changes });
  };

  const addDelivery = (id: string, delivery: Delivery | undefined): void => {
    const { deliveries = [] } = outcomes.get(id) ?? {};
    if (delivery !== undefined) change(id, { deliveries: [...deliveries, delivery] });
  };

  const isHeld = ({ id, claimedUntil }: OutcomeLease): boolean => outcomes.get(id)?.nextDeliveryAt === claimedUntil;

  const methods: OutcomeOutbox = {
    claimOutcomes: asAsync((now, leaseUntil, limit) => {
      const queue = new Map<string, readonly [id: string, at: number]>();
      for (const { outcome, nextDeliveryAt } of outcomes.values())
        if (nextDeliveryAt !== null && !queue.has(outcome.checkoutId))
          queue.set(outcome.checkoutId, [outcome.id, nextDeliveryAt]);
      const claimed = firstDue(queue.values(), now, limit).flatMap((id) => outcomes.get(id)?.outcome ?? []);
      for (const { id } of claimed) change(id, { nextDeliveryAt: leaseUntil });
      return claimed.sort((left, right) => left.occurredAt - right.occurredAt);
    }),

    countOutcomes: asAsync(() => {
      const stored = [...outcomes.values()];
      const undelivered = stored.filter(({ nextDeliveryAt }) => nextDeliveryAt !== null);
      const [oldestAt = null] = undelivered
        .map(({ outcome }) => outcome.occurredAt)
        .sort((left, right) => left - right);
      const abandoned = stored.filter(({ abandonedAt }) => abandonedAt !== null).length;
      return { undelivered: undelivered.length, oldestAt, abandoned };
    }),

    listOutcomes: asAsync((checkoutId) => outcomesOf(checkoutId).map(toOutcomeRecord)),

    readOutcomes: asAsync((after, limit) => ({
      storeId,
      lastPosition,
      outcomes: [...outcomes.values()]
        .filter(({ position }) => position > after)
        .slice(0, limit)
        .map((stored) => ({ ...toOutcomeRecord(stored), position: stored.position })),
    })),

    renewOutcomeLeases: asAsync((leases, leaseUntil) => {
      for (const lease of leases) if (isHeld(lease)) change(lease.id, { nextDeliveryAt: leaseUntil });
    }),

    markOutcomeDelivered: asAsync((id, at, delivery) => {
      addDelivery(id, delivery);
      if (outcomes.get(id)?.deliveredAt === null)
        change(id, { nextDeliveryAt: null, abandonedAt: null, deliveredAt: at });
    }),

    retryOutcome: asAsync((lease, at, delivery) => {
      addDelivery(lease.id, delivery);
      if (isHeld(lease)) change(lease.id, { nextDeliveryAt: at });
    }),

    abandonOutcome: asAsync((lease, at, delivery) => {
      addDelivery(lease.id, delivery);
      if (isHeld(lease)) change(lease.id, { nextDeliveryAt: null, abandonedAt: at });
    }),

    redeliverOutcome: asAsync((id, at, leaseUntil = -Infinity) => {
      const isDueSoon = (outcomes.get(id)?.nextDeliveryAt ?? Infinity) <= leaseUntil;
      if (!isDueSoon) change(id, { nextDeliveryAt: at, deliveredAt: null, abandonedAt: null });
      return outcomes.get(id)?.outcome.checkoutId;
    }),
  };

  return {
    methods,

    /** Stores a new outcome with the next number of its checkout. */
    add: (newOutcome: NewOutcome): void => {
      const { id, checkoutId, occurredAt } = newOutcome;
      if (outcomes.has(id)) return;
      lastPosition += 1;
      outcomes.set(id, {
        outcome: { ...newOutcome, sequence: outcomesOf(checkoutId).length + 1 },
        position: lastPosition,
        deliveries: [],
        nextDeliveryAt: occurredAt,
        deliveredAt: null,
        abandonedAt: null,
      });
    },

    idsOf: (checkoutId: string): readonly string[] => outcomesOf(checkoutId).map(({ outcome }) => outcome.id),

    /** Whether the shop does not have an outcome of the checkout: it is not delivered yet, or its delivery was given up. */
    hasUndelivered: (checkoutId: string): boolean =>
      outcomesOf(checkoutId).some(({ nextDeliveryAt, abandonedAt }) => nextDeliveryAt !== null || abandonedAt !== null),

    hasKind: (checkoutId: string, kind: NewOutcome['kind']): boolean =>
      outcomesOf(checkoutId).some(({ outcome }) => outcome.kind === kind),

    deleteOf: (checkoutId: string): void => {
      for (const { outcome } of outcomesOf(checkoutId)) outcomes.delete(outcome.id);
    },

    shiftSchedule: (after: number, ms: number): void => {
      for (const [id, { nextDeliveryAt: at }] of outcomes)
        if (at !== null && at > after) change(id, { nextDeliveryAt: at + ms });
    },
  };
}

function toOutcomeRecord({
  outcome,
  deliveries,
  nextDeliveryAt,
  deliveredAt,
  abandonedAt,
}: StoredOutcome): OutcomeRecord {
  return { ...outcome, deliveries, nextDeliveryAt, deliveredAt, abandonedAt };
}

/** Makes a function asynchronous, like a call of a database. */
export function asAsync<Args extends readonly unknown[], T>(work: (...args: Args) => T): (...args: Args) => Promise<T> {
  return async (...args) => {
    await Promise.resolve();
    return work(...args);
  };
}

/** Up to `limit` identifiers of a queue that are due, earliest first. */
export function firstDue(
  queue: Iterable<readonly [id: string, at: number]>,
  now: number,
  limit: number,
): readonly string[] {
  return [...queue]
    .filter(([, at]) => at <= now)
    .sort(([, left], [, right]) => left - right)
    .slice(0, limit)
    .map(([id]) => id);
}
