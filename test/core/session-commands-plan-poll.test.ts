import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError, type CheckoutErrorCode } from '../../src/core.ts';
import { planPoll, type PollContext } from '../../src/core/session-commands.ts';
import { msUntilNextRead } from '../../src/core/next-read.ts';
import type { Model } from '../../src/core/session-model.ts';
import { selectState } from '../../src/core/select-public-state.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkout-responses.ts';
import { createInvoice, loaded, loadedAt, modelAfter } from './models.ts';

const minute = 60_000;
const openModel = modelAfter(loaded(1, makeOpenCheckout()));
const waitingModel = modelAfter(loaded(1, makeCheckout('pending')));
const expiredModel = modelAfter(loaded(1, makeCheckout('expired', { expires_in_ms: 0 })));
const closedModel = modelAfter(loaded(1, makeOpenCheckout({ status: 'closed', options: [] })));
const modelPastDeadline = modelAfter(loaded(1, makeCheckout('pending', { expires_in_ms: minute })));
const uncertainModel = modelAfter(loaded(1, makeCheckout('pending')), { type: 'sleep' });
const modelAfterError = (code: CheckoutErrorCode, response = makeCheckout('pending')): Model =>
  modelAfter(loaded(1, response), { type: 'loadFailed', number: 2, error: new CheckoutError(code, ''), now: loadedAt });
const failingModel = modelAfterError('network');
const creatingModel = modelAfter(
  loaded(1, makeCheckout('expired', { expires_in_ms: 0 }, { options: makeOpenCheckout().options })),
  { type: 'retry' },
  createInvoice,
);
const modelAdvising = (poll_after_ms: number): Model =>
  modelAfter(loaded(1, makeCheckout('pending', {}, { poll_after_ms })));

describe('the next poll', () => {
  for (const [name, model, elapsedMs, changes, delayMs, longPoll] of [
    ['before the first response', modelAfter(), 0, {}, 1000, false],
    ['while the payer chooses', openModel, 0, {}, 15_000, false],
    ['after 10 minutes of choosing', openModel, 10 * minute, {}, 15_000, false],
    ['of a hidden page while the payer chooses', openModel, 0, { visible: false }, 20_000, false],
    ['while an invoice waits', waitingModel, 0, {}, 2000, true],
    ['where the backend advises 999 ms', modelAdvising(999), 0, {}, 1000, true],
    ['where the backend advises a century', modelAdvising(Number.MAX_SAFE_INTEGER), 0, {}, 60_000, true],
    ['of a hidden page while an invoice waits', waitingModel, 0, { visible: false }, 20_000, false],
    ['after 10 minutes of waiting', waitingModel, 10 * minute, {}, 5000, true],
    ['after 10 hours of waiting', waitingModel, 600 * minute, {}, 15_000, true],
    ['4999 ms after the deadline', modelPastDeadline, minute + 4999, {}, 2000, false],
    ['5 s after the deadline', modelPastDeadline, minute + 5000, {}, 2000, true],
    ['after the invoice has expired', expiredModel, 0, {}, 15_000, false],
    ['10 minutes after the invoice has expired', expiredModel, 10 * minute, {}, 30_000, false],
    ['10 hours after the invoice has expired', expiredModel, 600 * minute, {}, 60_000, false],
    ['after the shop closed the checkout', closedModel, 0, {}, 15_000, false],
    ['10 hours after the shop closed the checkout', closedModel, 600 * minute, {}, 60_000, false],
    ['while the deadline is uncertain', uncertainModel, 0, {}, 1000, false],
    ['after a failed read', failingModel, 0, {}, 1000, false],
    ['after an answer that cannot be read', modelAfterError('malformed'), 0, {}, 1000, false],
    ['after a refused read', modelAfterError('try_again'), 0, {}, 1000, true],
    ['after a read beyond the limit', modelAfterError('rate_limited'), 0, {}, 1000, true],
    [
      'after a refused read while the payer chooses',
      modelAfterError('try_again', makeOpenCheckout()),
      0,
      {},
      1000,
      false,
    ],
    ['of a hidden page after a failed read', failingModel, 0, { visible: false }, 20_000, false],
    [
      'after a read of 25 s, because the interval counts from its start,',
      waitingModel,
      0,
      { elapsed: 25_000 },
      0,
      true,
    ],
    ['while a new invoice is created after an expired one', creatingModel, 0, {}, 2000, true],
  ] satisfies readonly (readonly [string, Model, number, Partial<PollContext>, number, boolean])[])
    it(`${name} follows after ${delayMs} ms and is ${longPoll ? 'a long poll' : 'not a long poll'}`, () => {
      const context = { now: loadedAt + elapsedMs, elapsed: 0, visible: true, random: 0.5, ...changes };
      assert.deepEqual(planPoll(model, context), { after: delayMs, longPoll });
    });
});

describe('the time within which the payer is told that the page looks again', () => {
  for (const [name, model] of [
    ['while an invoice waits', waitingModel],
    ['where the backend advises 999 ms', modelAdvising(999)],
    ['where the backend advises a century', modelAdvising(Number.MAX_SAFE_INTEGER)],
    ['around the deadline', modelPastDeadline],
    ['after the invoice has expired', expiredModel],
    ['after the shop closed the checkout', closedModel],
  ] as const)
    it(`is not shorter than the time of the next read, and not longer than the longest: ${name}`, () => {
      let longestMs = 0;
      let longestToldMs = 0;
      for (let waitedMs = 0; waitedMs < 600 * minute; waitedMs += 5000) {
        const now = loadedAt + waitedMs;
        const state = selectState(model, now);
        assert.ok(state.status === 'waiting' || state.status === 'expired' || state.status === 'closed');
        const afterMs = planPoll(model, { now, elapsed: 0, visible: true, random: 0.5 })?.after ?? NaN;
        const toldMs = msUntilNextRead(state);
        assert.ok(afterMs <= toldMs, `${waitedMs} ms: told ${toldMs}, is ${afterMs}`);
        longestMs = Math.max(longestMs, afterMs);
        longestToldMs = Math.max(longestToldMs, toldMs);
      }
      assert.equal(longestToldMs, longestMs);
    });
});
