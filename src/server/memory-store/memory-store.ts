import type { Attempt, InvoiceAttempt } from '../ports/invoice-attempt.ts';
import {
  InvoiceClaimedError,
  type CheckoutRecord,
  type CheckoutStore,
  type ListCheckouts,
  type SaveListener,
} from '../ports/checkout-store.ts';
import { deriveStatus, hasInvoice, invoicesOf, isForeign, isUndecidedPayment } from '../domain/checkout-status.ts';
import { CheckoutParamsError } from '../domain/checkout-params.ts';
import { needsDecision } from '../domain/merchant-changes.ts';
import { asAsync, createMemoryOutbox, firstDue } from './memory-outbox.ts';

/**
 * A store in memory, for tests and trials, and the reference implementation of the port. It saves and returns copies.
 * @example
 * ```ts
 * import { createCheckoutServer, createMemoryStore } from 'pay-invoice/server';
 *
 * createCheckoutServer({ service, store: createMemoryStore(), endpoint, mode: 'TEST', onOutcome });
 * ```
 */
export function createMemoryStore(): CheckoutStore {
  const checkouts = new Map<string, CheckoutRecord>();
  const checkoutIdOfOrder = new Map<string, string>();
  const checkoutIdOfAttempt = new Map<string, string>();
  const checkoutIdOfInvoice = new Map<string, string>();
  /** When each attempt can be claimed next, by its `externalId`. An attempt that can never be claimed is not in it. */
  const attemptQueue = new Map<string, number>();
  const viewedUntil = new Map<string, number>();
  let seenAt: number | undefined;
  const outbox = createMemoryOutbox();
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
    fetched: Pick<InvoiceAttempt, 'answeredAt' | 'checkedAt'> | undefined,
    change: Pick<Attempt, 'runAt'> & { leaseUntil?: number },
  ): void => {
    const found = findAttempt(externalId);
    if (found === undefined) return;
    const changedAttempt: Attempt = hasInvoice(found.attempt)
      ? { ...found.attempt, ...change, ...fetched }
      : { ...found.attempt, ...change };
    const attempts = found.checkout.attempts.map((attempt) =>
      attempt.externalId === externalId ? changedAttempt : attempt,
    );
    checkouts.set(found.checkout.id, { ...found.checkout, attempts });
    enqueue(externalId, change.runAt);
  };

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
    outbox.deleteOf(id);
  };

  const isListed =
    ({ orderId, search, undelivered, undecided, kind, status, now }: Omit<ListCheckouts, 'limit'>) =>
    (checkout: CheckoutRecord): boolean =>
      (orderId === undefined || checkout.params.orderId === orderId) &&
      (search === undefined || [...namesOf(checkout), ...outbox.idsOf(checkout.id)].includes(search)) &&
      (undelivered !== true || outbox.hasUndelivered(checkout.id)) &&
      (undecided === undefined || checkout.attempts.some((attempt) => needsDecision(checkout, attempt, undecided))) &&
      (kind === undefined || outbox.hasKind(checkout.id, kind)) &&
      (status === undefined || deriveStatus(checkout, now) === status);

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

    save: asAsync((checkout, newOutcomes, { loaded, transaction } = {}) => {
      refuseTransaction(transaction);
      if (checkouts.get(checkout.id)?.version !== checkout.version - 1) return false;
      const claims = invoicesOf(checkout).flatMap((attempt) => (isForeign(attempt) ? [] : [attempt.invoice.id]));
      if (claims.some((id) => (checkoutIdOfInvoice.get(id) ?? checkout.id) !== checkout.id))
        throw new InvoiceClaimedError();
      for (const id of claims) checkoutIdOfInvoice.set(id, checkout.id);
      putCheckout(checkout, loaded);
      newOutcomes.forEach(outbox.add);
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

    claimDueAttempts: asAsync((now, leaseUntil, limit, checkoutIds) =>
      firstDue(
        checkoutIds === undefined
          ? attemptQueue
          : [...attemptQueue].filter(([id]) => checkoutIds.includes(checkoutIdOfAttempt.get(id) ?? '')),
        now,
        limit,
      ).flatMap((externalId) => {
        attemptQueue.set(externalId, leaseUntil);
        const found = findAttempt(externalId);
        if (found === undefined) return [];
        const { checkout, attempt } = found;
        const { createdAt, runAt } = attempt;
        const due = { checkoutId: checkout.id, externalId, createdAt, runAt: runAt ?? now, claimedUntil: leaseUntil };
        if (!hasInvoice(attempt)) return { ...due, invoiceId: null };
        const { invoice, state, serviceStatus, outcome, expiresAt, answeredAt, checkedAt } = attempt;
        return {
          ...due,
          invoiceId: invoice.id,
          isHidden: state === 'hidden',
          serviceStatus,
          outcome,
          expiresAt,
          answeredAt,
          checkedAt,
          viewedUntil: viewedUntil.get(externalId) ?? null,
        };
      }),
    ),

    reschedule: asAsync((changes) => {
      for (const { externalId, runAt, answeredAt, checkedAt, claimedUntil, claimedRunAt } of changes) {
        if (claimedUntil !== null && attemptQueue.get(externalId) !== claimedUntil) continue;
        const storedRunAt = findAttempt(externalId)?.attempt.runAt ?? null;
        const isRequested = claimedRunAt !== undefined && storedRunAt !== null && storedRunAt !== claimedRunAt;
        const newRunAt = isRequested ? Math.min(storedRunAt, runAt ?? storedRunAt) : runAt;
        reschedule(externalId, { answeredAt, checkedAt }, { runAt: newRunAt });
      }
    }),

    expedite: asAsync((checkoutIds, at, until, isRequested = false) => {
      for (const id of checkoutIds)
        for (const attempt of invoicesOf({ attempts: checkouts.get(id)?.attempts ?? [] })) {
          const { externalId, runAt, outcome } = attempt;
          if (isRequested ? isForeign(attempt) : runAt === null || outcome !== 'pending') continue;
          const claimableAt = attemptQueue.get(externalId) ?? null;
          const isClaimed = claimableAt !== runAt;
          if (runAt === null || (isClaimed ? runAt < at : runAt > at)) {
            reschedule(externalId, undefined, { runAt: at });
            // A claim is kept until its fetch has ended.
            if (isClaimed) enqueue(externalId, claimableAt);
          }
          if (until !== undefined) viewedUntil.set(externalId, Math.max(until, viewedUntil.get(externalId) ?? 0));
        }
    }),

    expediteUnresolved: asAsync((words, at) => {
      for (const { externalId, outcome, serviceStatus } of [...checkouts.values()].flatMap(invoicesOf)) {
        const isKnown = words.includes(serviceStatus?.trim().toLowerCase() ?? '');
        if (outcome === 'unresolved' && isKnown) reschedule(externalId, undefined, { runAt: at });
      }
    }),

    shiftSchedule: asAsync((after, ms) => {
      for (const [externalId, claimableAt] of attemptQueue) {
        const attempt = findAttempt(externalId)?.attempt;
        if (attempt === undefined || claimableAt <= after) continue;
        const { runAt, leaseUntil } = attempt;
        const later = (time: number | null): number | null => (time === null ? null : time + ms);
        const fetched = hasInvoice(attempt)
          ? { answeredAt: later(attempt.answeredAt), checkedAt: later(attempt.checkedAt) }
          : undefined;
        reschedule(externalId, fetched, { runAt: later(runAt), leaseUntil: leaseUntil === 0 ? 0 : leaseUntil + ms });
        attemptQueue.set(externalId, claimableAt + ms);
        const viewEnd = viewedUntil.get(externalId);
        if (viewEnd !== undefined) viewedUntil.set(externalId, viewEnd + ms);
      }
      outbox.shiftSchedule(after, ms);
    }),

    noteTime: asAsync((now) => {
      const earlier = seenAt;
      seenAt = now;
      return earlier;
    }),

    nextRunAt: asAsync(() => {
      let earliest: number | undefined;
      for (const at of attemptQueue.values()) earliest = Math.min(at, earliest ?? at);
      return earliest;
    }),

    ...outbox.methods,

    purge: asAsync(({ createdBefore, expiredBefore, after, limit }) => {
      const examined = [...checkouts.values()]
        .filter(({ createdAt }) => createdAt < createdBefore)
        .filter((checkout) => after === undefined || compareAge(checkout, after) > 0)
        .sort(compareAge)
        .slice(0, limit);
      const settled = examined.filter(
        (checkout) =>
          (checkout.paidExternalId !== null || checkout.capabilityAt < expiredBefore) &&
          checkout.attempts.every(({ runAt }) => runAt === null) &&
          !outbox.hasUndelivered(checkout.id) &&
          !invoicesOf(checkout).some((attempt) => isUndecidedPayment(checkout, attempt)),
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

/** Orders checkouts by the time of their creation, then by their identifier. */
function compareAge(left: Pick<CheckoutRecord, 'id' | 'createdAt'>, right: typeof left): number {
  return left.createdAt - right.createdAt || (left.id < right.id ? -1 : Number(left.id > right.id));
}

/** Copies plain data, as `structuredClone` does, at a sixth of its cost. */
function copyOf<T>(value: T): T;
function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((member: unknown) => copyOf(member));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Record<string, unknown> = { ...value };
  for (const name in copy) if (typeof copy[name] === 'object') copy[name] = copyOf(copy[name]);
  return copy;
}

/** By what `search` of `list` finds a checkout, besides the identifiers of its outcomes. */
function namesOf({ id, params, attempts }: CheckoutRecord): readonly (string | null)[] {
  const ownInvoices = attempts.filter(hasInvoice).filter((attempt) => !isForeign(attempt));
  return [
    id,
    params.orderId,
    params.reference,
    ...attempts.map(({ externalId }) => externalId),
    ...ownInvoices.map(({ invoice }) => invoice.id),
  ];
}

/** A store in memory has no transactions. @throws CheckoutParamsError */
function refuseTransaction(transaction: unknown): void {
  if (transaction === undefined) return;
  const message = 'transaction: a store in memory has no transactions';
  throw new CheckoutParamsError({ path: 'transaction', message });
}
