// The steps of the checkout model: those of the payer, the merchant, the processes, the service, the bank and the clock.
// Fetches are in checkout-fetch-steps.ts.
import type { NewOutcome } from '../../src/server.ts';
import {
  claimCreate,
  decideCreateRequest,
  newAttempt,
  type PricedCreateRequest,
} from '../../src/server/domain/create-decisions.ts';
import { applyCreatedInvoice, applyCreateFailure } from '../../src/server/domain/create-results.ts';
import { retryAt } from '../../src/server/domain/create-repeats.ts';
import { applyFetchedStatus, defaultStatuses } from '../../src/server/domain/fetch-decisions.ts';
import {
  closeCheckout,
  needsDecision,
  recreateCheckout,
  reopenCheckout,
  resolveInvoice,
} from '../../src/server/domain/merchant-changes.ts';
import {
  attemptOf,
  canStillBePaid,
  currentAttempt,
  invoicesOf,
  withNewAttempt,
  deriveStatus,
  outcomesBetween,
  isClosed,
} from '../../src/server/domain/checkout-status.ts';
import { defaultTiming } from '../../src/server/timing-and-limit-defaults.ts';
import type { Attempt, CheckoutRecord } from '../../src/server-internals.ts';
import type { Step } from './explore.ts';
import {
  createBody,
  closesAt,
  createdInvoice,
  leaseMs,
  lifetimeMs,
  price,
  startTime,
  type Bounds,
  type Call,
  type CallResponse,
  type ServiceInvoice,
  type State,
  type Word,
} from './checkout-model-state.ts';

/** The functions under test. A defect replaces one of them. */
export interface Decisions {
  readonly decideCreateRequest: typeof decideCreateRequest;
  readonly claimCreate: typeof claimCreate;
  readonly applyCreatedInvoice: typeof applyCreatedInvoice;
  readonly applyCreateFailure: typeof applyCreateFailure;
  readonly applyFetchedStatus: typeof applyFetchedStatus;
  readonly outcomesBetween: typeof outcomesBetween;
  readonly deriveStatus: typeof deriveStatus;
  readonly closeCheckout: typeof closeCheckout;
  readonly recreateCheckout: typeof recreateCheckout;
  readonly reopenCheckout: typeof reopenCheckout;
  readonly resolveInvoice: typeof resolveInvoice;
}

export const decisions: Decisions = {
  decideCreateRequest,
  claimCreate,
  applyCreatedInvoice,
  applyCreateFailure,
  applyFetchedStatus,
  outcomesBetween,
  deriveStatus,
  closeCheckout,
  recreateCheckout,
  reopenCheckout,
  resolveInvoice,
};

export const withoutIndex = <T>(list: readonly T[], at: number): readonly T[] =>
  list.filter((_, index) => index !== at);
const withValueAt = <T>(list: readonly T[], at: number, value: T): readonly T[] =>
  list.map((element, index) => (index === at ? value : element));

/** Whether the payer can pay the invoice of an attempt. The invoice of a create in doubt may exist, too. */
function mayBePaid(attempt: Attempt | undefined, now: number): boolean {
  if (attempt === undefined || !canStillBePaid(attempt)) return false;
  return attempt.state !== 'live' || attempt.expiresAt === null || attempt.expiresAt > now;
}

/** The payer requests an invoice. */
export function* requestInvoice(
  state: State,
  { decideCreateRequest: decide }: Decisions,
  bounds: Bounds,
): Iterable<Step<State>> {
  if (state.requests >= bounds.requests || state.calls.length >= bounds.calls) return;
  const count = state.requests + 1;
  for (const method of ['sbp', 'card'])
    for (const replace of [false, true]) {
      const request: PricedCreateRequest = {
        key: { key: `request-${count}`, fingerprint: `${method} ${String(replace)}` },
        paymentMethodId: method,
        amount: price,
        replace,
      };
      const name = `the payer requests an invoice by ${method}${replace ? ' with replace' : ''}`;
      const decision = decide(state.record, request, state.now, leaseMs);
      const requestedState = { ...state, requests: count };
      if (decision.kind === 'new') {
        const externalId = `e${state.record.attempts.length + 1}`;
        const attempt = newAttempt(
          request,
          { type: method },
          createBody(externalId, method),
          externalId,
          state.now,
          leaseMs,
        );
        const brokenRule =
          !replace && mayBePaid(currentAttempt(state.record), state.now)
            ? 'a second payable invoice is created without `replace`'
            : undefined;
        yield {
          name,
          next: {
            ...requestedState,
            record: withNewAttempt(state.record, attempt),
            calls: [...state.calls, { process: 1, externalId, response: undefined }],
            brokenRule,
          },
        };
      } else if (decision.kind === 'call') {
        yield { name, next: withRepeatedCall(requestedState, decision.attempt, decision.record, 1) };
      } else if ('record' in decision && decision.record !== undefined) {
        yield { name, next: { ...requestedState, record: decision.record } };
      } else {
        yield { name, next: requestedState };
      }
    }
}

/** The state after a process has begun to repeat the call of an attempt. */
function withRepeatedCall(state: State, attempt: Attempt, record: CheckoutRecord, process: Call['process']): State {
  const isFirst = attempt.state === 'creating'; // the calls before have certainly done nothing
  const isDone = state.invoices.some(({ externalId }) => externalId === attempt.externalId);
  const requestsQr = attempt.request.qr !== undefined;
  return {
    ...state,
    record,
    calls: [...state.calls, { process, externalId: attempt.externalId, response: undefined }],
    brokenRule:
      isFirst && isDone
        ? 'a create that the service has done is repeated as if the service had certainly done nothing'
        : requestsQr && !isFirst
          ? 'a repeat requests the QR code, which may be the reason why the earlier call failed'
          : undefined,
  };
}

/** Another process repeats a create whose lease has ended. */
export function* repeatCreates(state: State, { claimCreate: claim }: Decisions, bounds: Bounds): Iterable<Step<State>> {
  if (state.calls.length >= bounds.calls) return;
  for (const { externalId } of state.record.attempts) {
    const repeatedClaim = claim(state.record, externalId, state.now, leaseMs);
    if (repeatedClaim !== undefined)
      yield {
        name: `recovery repeats ${externalId}`,
        next: withRepeatedCall(state, repeatedClaim.attempt, repeatedClaim.record, 2),
      };
  }
}

/** The service handles a call that is under way. */
export function* handleCalls(state: State, bounds: Bounds): Iterable<Step<State>> {
  for (const [at, call] of state.calls.entries()) {
    if (call.response !== undefined) continue;
    const withResponse = (response: CallResponse, invoices = state.invoices): State => ({
      ...state,
      invoices,
      calls: withValueAt(state.calls, at, { ...call, response }),
    });
    const existing = state.invoices.find(({ externalId }) => externalId === call.externalId);
    const reusedInvoice = bounds.repeatedCreate === 'same invoice' ? existing : undefined;
    const invoice: ServiceInvoice = reusedInvoice ?? {
      id: `inv_${state.invoices.length + 1}`,
      externalId: call.externalId,
      amount: price,
      word: 'PENDING',
    };
    const invoices = reusedInvoice === undefined ? [...state.invoices, invoice] : state.invoices;
    yield { name: `the service creates ${invoice.id}`, next: withResponse({ kind: 'created', invoice }, invoices) };
    yield { name: `the response with ${invoice.id} is lost`, next: withResponse({ kind: 'lost' }, invoices) };
    if (existing === undefined)
      yield { name: `the service refuses ${call.externalId}`, next: withResponse({ kind: 'refused' }) };
    yield { name: `the service is unavailable`, next: withResponse({ kind: 'unavailable' }) };
  }
}

const failures = {
  refused: { failure: 'refused', code: 'invalid_argument', isOwnCode: true, httpStatus: 400 },
  lost: { failure: 'ambiguous', code: 'unknown', isOwnCode: false, httpStatus: 0 },
  unavailable: { failure: 'unavailable', code: 'unavailable', isOwnCode: true, httpStatus: 503 },
} as const;

/** The response to a call reaches its process. */
export function* receiveResponses(state: State, apply: Decisions): Iterable<Step<State>> {
  for (const [at, { externalId, response }] of state.calls.entries()) {
    if (response === undefined) continue;
    const calls = withoutIndex(state.calls, at);
    const attempt = attemptOf(state.record, externalId);
    const times = { fetchAt: state.now };
    if (response.kind !== 'created') {
      const error = failures[response.kind];
      const isRepeated = attempt !== undefined && retryAt(attempt, error, state.now, 0, true) !== null;
      const nextRuns = { ...times, retryAt: isRepeated ? state.now : null };
      const result = apply.applyCreateFailure(state.record, externalId, error, nextRuns);
      yield {
        name: `the response to the create of ${externalId} arrives: ${response.kind}`,
        next: {
          ...state,
          calls,
          record: result.record,
          outcomes: withOutcomes(state.outcomes, apply.outcomesBetween(state.record, result.record, state.now)),
        },
      };
      continue;
    }
    const { id } = response.invoice;
    const { record } = apply.applyCreatedInvoice(state.record, externalId, createdInvoice(response.invoice), times);
    const isStored = invoicesOf(record).some((attempt) => attempt.invoice.id === id);
    yield {
      name: `the response to the create of ${externalId} arrives: ${id}`,
      next: { ...state, calls, record, brokenRule: isStored ? undefined : 'an invoice that exists is not stored' },
    };
  }
}

/** The outcomes reported so far and the new ones. The store keeps each `id` once. */
export function withOutcomes(reported: State['outcomes'], added: readonly NewOutcome[]): State['outcomes'] {
  const newOutcomes = added.filter(({ id }) => reported.every((existing) => existing.id !== id));
  return newOutcomes.length === 0 ? reported : [...reported, ...newOutcomes];
}

/** A process crashes. The responses to its calls are lost. */
export function* crashProcesses(state: State, bounds: Bounds): Iterable<Step<State>> {
  if (state.crashes >= bounds.crashes) return;
  for (const process of [1, 2] as const) {
    const calls = state.calls.filter((call) => call.process !== process);
    if (calls.length < state.calls.length)
      yield { name: `process ${process} crashes`, next: { ...state, calls, crashes: state.crashes + 1 } };
  }
}

/** The bank or the service changes the status of an invoice. */
export function* changeStatuses(state: State): Iterable<Step<State>> {
  const words: Readonly<Record<Word, readonly Word[]>> = {
    PENDING: ['PAID', 'FAILED', 'HELD_BY_BANK'],
    HELD_BY_BANK: ['PAID'],
    FAILED: ['PAID'],
    EXPIRED: ['PAID'],
    PAID: [],
  };
  for (const [at, invoice] of state.invoices.entries()) {
    const timeBasedWords =
      state.now > startTime + lifetimeMs && invoice.word === 'PENDING' ? (['EXPIRED'] as const) : [];
    for (const word of [...words[invoice.word], ...timeBasedWords])
      yield {
        name: `${invoice.id} becomes ${word}`,
        next: { ...state, invoices: withValueAt(state.invoices, at, { ...invoice, word }) },
      };
  }
}

/** The merchant closes the checkout, calls `create` for its order again, or reopens it. */
export function* closeByMerchant(
  state: State,
  { closeCheckout: close, recreateCheckout: recreate, reopenCheckout: reopen }: Decisions,
  bounds: Bounds,
): Iterable<Step<State>> {
  if (!bounds.mayClose) return;
  const { record: before, now } = state;
  const closed = close(before, now);
  if (closed !== undefined) yield { name: 'the merchant closes the checkout', next: { ...state, record: closed } };
  const created = recreate(before, before.params, now, undefined);
  const isOpened = isClosed(before, now) && !isClosed(created, now);
  const brokenRule = isOpened ? 'create opens a closed checkout' : undefined;
  yield { name: 'the merchant calls create again', next: { ...state, record: created, brokenRule } };
  const opened = reopen(before, now);
  if (opened === undefined) return;
  const staysClosed = isClosed(opened, now) ? 'a checkout is closed after reopen' : undefined;
  yield { name: 'the merchant reopens the checkout', next: { ...state, record: opened, brokenRule: staysClosed } };
}

/** A person decides about an invoice that the server cannot judge. */
export function* resolveInvoices(
  state: State,
  { resolveInvoice: resolve, outcomesBetween: outcomesOf }: Decisions,
  bounds: Bounds,
): Iterable<Step<State>> {
  if (!bounds.mayResolve) return;
  for (const attempt of state.record.attempts)
    for (const as of ['paid', 'void'] as const) {
      if (!needsDecision(state.record, attempt, defaultStatuses)) continue;
      const resolution = { as, note: 'note', at: state.now };
      const { record } = resolve(state.record, attempt.externalId, resolution, defaultStatuses);
      const outcomes = withOutcomes(state.outcomes, outcomesOf(state.record, record, state.now));
      yield { name: `a person decides that ${attempt.externalId} is ${as}`, next: { ...state, record, outcomes } };
    }
}

/** Time passes to a moment at which a lease or a period ends, or the wall clock is set. */
export function* passTime(state: State, bounds: Bounds): Iterable<Step<State>> {
  const leases = state.record.attempts.map(({ leaseUntil }) => leaseUntil).filter((at) => at >= state.now);
  const moments = [
    ...leases.map((at) => ({ name: 'a lease ends', at: at + 1 })),
    { name: 'the deadline passes', at: startTime + lifetimeMs + 1 },
    { name: 'the grace period ends', at: startTime + lifetimeMs + defaultTiming.graceMs + 1 },
    ...(bounds.dayPasses ? [{ name: 'a day passes', at: startTime + 86_400_001 }] : []),
  ];
  for (const { name, at } of moments)
    if (at > state.now) yield { name, next: { ...state, now: at, brokenRule: undefined } };
  if (bounds.mayClose && state.now < closesAt)
    yield { name: 'the expiresAt of the checkout passes', next: { ...state, now: closesAt, brokenRule: undefined } };
  if (state.clockSteps >= bounds.clockSteps) return;
  for (const [name, ms] of [
    ['the clock goes back an hour', -3_600_000],
    ['the clock goes forward an hour', 3_600_000],
  ] as const)
    yield { name, next: { ...state, now: state.now + ms, clockSteps: state.clockSteps + 1, brokenRule: undefined } };
}
