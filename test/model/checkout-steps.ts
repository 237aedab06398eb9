// The steps of the checkout model: what the payer, the processes, the service, the bank and the clock can do.
// Fetches are in checkout-fetch-steps.ts.
import { applyCreatedInvoice, applyCreateFailure } from '../../src/server/domain/apply-create-result.ts';
import { applyFetchedStatus, asDuplicatePayment, deriveStatus } from '../../src/server/domain/apply-fetched-status.ts';
import { closeCheckout, isClosed } from '../../src/server/domain/close-checkout.ts';
import { attemptOf, currentAttempt, withNewAttempt } from '../../src/server/domain/select-attempt.ts';
import {
  claimCreate,
  decideCreateRequest,
  newAttempt,
  type PricedCreateRequest,
} from '../../src/server/domain/decide-create-request.ts';
import { retryAt } from '../../src/server/domain/next-fetch-time.ts';
import { defaultTiming } from '../../src/server/timing-and-limit-defaults.ts';
import type { Attempt, CheckoutRecord, NewOutcome } from '../../src/server.ts';
import type { Step } from './explore.ts';
import {
  bodyFor,
  closesAt,
  createdInvoice,
  leaseMs,
  lifeMs,
  price,
  start,
  type Bounds,
  type Call,
  type CallAnswer,
  type ServiceInvoice,
  type State,
  type Word,
} from './checkout-model-state.ts';

/** The functions under test; a seeded defect replaces one of them. */
export interface Decisions {
  readonly decideCreateRequest: typeof decideCreateRequest;
  readonly claimCreate: typeof claimCreate;
  readonly applyCreatedInvoice: typeof applyCreatedInvoice;
  readonly applyCreateFailure: typeof applyCreateFailure;
  readonly asDuplicatePayment: typeof asDuplicatePayment;
  readonly applyFetchedStatus: typeof applyFetchedStatus;
  readonly deriveStatus: typeof deriveStatus;
  readonly closeCheckout: typeof closeCheckout;
}

export const decisions: Decisions = {
  decideCreateRequest,
  claimCreate,
  applyCreatedInvoice,
  applyCreateFailure,
  applyFetchedStatus,
  asDuplicatePayment,
  deriveStatus,
  closeCheckout,
};

export const without = <T>(list: readonly T[], at: number): readonly T[] => list.filter((_, index) => index !== at);
const withAt = <T>(list: readonly T[], at: number, value: T): readonly T[] =>
  list.map((known, index) => (index === at ? value : known));

/** Whether the payer may still pay the invoice of an attempt: it exists, or it may exist. */
function mayBePaid(attempt: Attempt | undefined, now: number): boolean {
  if (attempt?.outcome !== 'pending') return false;
  return attempt.expiresAt === null || attempt.expiresAt > now;
}

/** The payer requests an invoice. */
export function* requests(
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
      const name = `the payer requests an invoice by ${method}${replace ? ', replacing' : ''}`;
      const decision = decide(state.record, request, state.now, leaseMs);
      const next = { ...state, requests: count };
      if (decision.kind === 'new') {
        const externalId = `e${state.record.attempts.length + 1}`;
        const attempt = newAttempt(
          request,
          { type: method },
          bodyFor(externalId, method),
          externalId,
          state.now,
          leaseMs,
        );
        const broken = isClosed(state.record, state.now)
          ? 'an invoice is created for a closed checkout (checkout-api, States)'
          : state.record.paidExternalId !== null
            ? 'an invoice is created for a paid checkout'
            : !replace && mayBePaid(currentAttempt(state.record), state.now)
              ? 'a second payable invoice is created without `replace`'
              : undefined;
        yield {
          name,
          next: {
            ...next,
            record: withNewAttempt(state.record, attempt),
            calls: [...state.calls, { process: 1, externalId, answer: undefined }],
            broken,
          },
        };
      } else if (decision.kind === 'call') {
        yield { name, next: withRepeatedCall(next, decision.attempt, decision.record ?? state.record, 1) };
      } else if ('record' in decision && decision.record !== undefined) {
        yield { name, next: { ...next, record: decision.record } };
      } else {
        yield { name, next };
      }
    }
}

/** The state in which a process repeats the call of an attempt. */
function withRepeatedCall(state: State, attempt: Attempt, record: CheckoutRecord, process: Call['process']): State {
  const before = attemptOf(state.record, attempt.externalId);
  const isSettled = before?.stage === 'created' || before?.stage === 'rejected';
  const requestsQr = attempt.request.qr !== undefined;
  return {
    ...state,
    record,
    calls: [...state.calls, { process, externalId: attempt.externalId, answer: undefined }],
    broken: isSettled
      ? 'a create whose answer is known is repeated'
      : requestsQr
        ? 'a repeat requests the QR code, which may be why the call before it failed'
        : undefined,
  };
}

/** Another process repeats a create whose lease has ended. */
export function* recovery(state: State, { claimCreate: claim }: Decisions, bounds: Bounds): Iterable<Step<State>> {
  if (state.calls.length >= bounds.calls) return;
  for (const { externalId } of state.record.attempts) {
    const claimed = claim(state.record, externalId, state.now, leaseMs);
    if (claimed !== undefined)
      yield {
        name: `recovery repeats ${externalId}`,
        next: withRepeatedCall(state, claimed.attempt, claimed.record, 2),
      };
  }
}

/** The service handles a call that is under way. */
export function* handling(state: State, bounds: Bounds): Iterable<Step<State>> {
  for (const [at, call] of state.calls.entries()) {
    if (call.answer !== undefined) continue;
    const answered = (answer: CallAnswer, invoices = state.invoices): State => ({
      ...state,
      invoices,
      calls: withAt(state.calls, at, { ...call, answer }),
    });
    const known = state.invoices.find(({ externalId }) => externalId === call.externalId);
    const repeated = bounds.repeatedCreate === 'same invoice' ? known : undefined;
    const invoice: ServiceInvoice = repeated ?? {
      id: `inv_${state.invoices.length + 1}`,
      externalId: call.externalId,
      amount: price,
      word: 'PENDING',
    };
    const invoices = repeated === undefined ? [...state.invoices, invoice] : state.invoices;
    yield { name: `the service creates ${invoice.id}`, next: answered({ kind: 'created', invoice }, invoices) };
    yield { name: `the answer with ${invoice.id} is lost`, next: answered({ kind: 'lost' }, invoices) };
    if (known === undefined)
      yield { name: `the service refuses ${call.externalId}`, next: answered({ kind: 'refused' }) };
    yield { name: `the service is unavailable`, next: answered({ kind: 'unavailable' }) };
  }
}

const failures = {
  refused: { failure: 'refused', code: 'invalid_argument', isOwnCode: true, httpStatus: 400 },
  lost: { failure: 'ambiguous', code: 'unknown', isOwnCode: false, httpStatus: 0 },
  unavailable: { failure: 'unavailable', code: 'unavailable', isOwnCode: true, httpStatus: 503 },
} as const;

/** The answer of a call reaches its process. */
export function* answers(state: State, apply: Decisions): Iterable<Step<State>> {
  for (const [at, { externalId, answer }] of state.calls.entries()) {
    if (answer === undefined) continue;
    const calls = without(state.calls, at);
    const attempt = attemptOf(state.record, externalId);
    const isOver = attempt !== undefined && retryAt(attempt, state.now, 0) === null;
    const runs = { now: state.now, fetchAt: state.now, retryAt: isOver ? null : state.now };
    if (answer.kind !== 'created') {
      const result = apply.applyCreateFailure(state.record, externalId, failures[answer.kind], runs);
      yield {
        name: `the answer to ${externalId}: ${answer.kind}`,
        next: {
          ...state,
          calls,
          record: result.record,
          outcomes: withOutcomes(state.outcomes, result.outcomes ?? []),
          broken:
            result.kind === 'unresolved' && !isOver ? 'a create is unresolved before a day has passed' : undefined,
        },
      };
      continue;
    }
    const { id } = answer.invoice;
    const { record } = apply.applyCreatedInvoice(state.record, externalId, createdInvoice(answer.invoice), runs);
    const isStored = record.attempts.some((attempt) => attempt.invoice?.id === id);
    yield {
      name: `the answer to ${externalId}: ${id}`,
      next: { ...state, calls, record, broken: isStored ? undefined : 'an invoice that exists is not stored' },
    };
  }
}

/** The outcomes reported so far and the new ones. The store keeps each `id` once. */
export function withOutcomes(reported: State['outcomes'], added: readonly NewOutcome[]): State['outcomes'] {
  const fresh = added.filter(({ id }) => reported.every((known) => known.id !== id));
  return [...reported, ...fresh.map(({ id, kind, externalId }) => ({ id, kind, externalId }))];
}

/** A process crashes. The responses to its calls are lost. */
export function* crashes(state: State, bounds: Bounds): Iterable<Step<State>> {
  if (state.crashes >= bounds.crashes) return;
  for (const process of [1, 2] as const) {
    const calls = state.calls.filter((call) => call.process !== process);
    if (calls.length < state.calls.length)
      yield { name: `process ${process} crashes`, next: { ...state, calls, crashes: state.crashes + 1 } };
  }
}

/** The bank and the service move an invoice on. */
export function* payments(state: State): Iterable<Step<State>> {
  const words: Readonly<Record<Word, readonly Word[]>> = {
    PENDING: ['PAID', 'FAILED', 'HELD_BY_BANK'],
    HELD_BY_BANK: ['PAID'],
    FAILED: ['PAID'],
    EXPIRED: ['PAID'],
    PAID: [],
  };
  for (const [at, invoice] of state.invoices.entries()) {
    const later = state.now > start + lifeMs && invoice.word === 'PENDING' ? (['EXPIRED'] as const) : [];
    for (const word of [...words[invoice.word], ...later])
      yield {
        name: `${invoice.id} becomes ${word}`,
        next: { ...state, invoices: withAt(state.invoices, at, { ...invoice, word }) },
      };
  }
}

/** The merchant closes the checkout. */
export function* closing(state: State, { closeCheckout: close }: Decisions, bounds: Bounds): Iterable<Step<State>> {
  const record = bounds.closes ? close(state.record, state.now) : undefined;
  if (record !== undefined) yield { name: 'the merchant closes the checkout', next: { ...state, record } };
}

/** Time passes to the next moment that matters, or the wall clock is corrected. */
export function* time(state: State, bounds: Bounds): Iterable<Step<State>> {
  const leases = state.record.attempts.map(({ leaseUntil }) => leaseUntil).filter((at) => at >= state.now);
  const moments = [
    ...leases.map((at) => ({ name: 'a lease ends', at: at + 1 })),
    { name: 'the deadline passes', at: start + lifeMs + 1 },
    { name: 'the grace period ends', at: start + lifeMs + defaultTiming.graceMs + 1 },
    ...(bounds.dayPasses ? [{ name: 'a day passes', at: start + 86_400_001 }] : []),
  ];
  for (const { name, at } of moments)
    if (at > state.now) yield { name, next: { ...state, now: at, broken: undefined } };
  if (bounds.closes && state.now < closesAt)
    yield { name: 'the end of the checkout passes', next: { ...state, now: closesAt, broken: undefined } };
  if (state.clockSteps >= bounds.clockSteps) return;
  for (const [name, ms] of [
    ['the clock goes back an hour', -3_600_000],
    ['the clock goes forward an hour', 3_600_000],
  ] as const)
    yield { name, next: { ...state, now: state.now + ms, clockSteps: state.clockSteps + 1, broken: undefined } };
}
