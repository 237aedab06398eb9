import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError } from '../../src/core.ts';
import { diffEvents } from '../../src/core/event-emitter.ts';
import { createModel, type Model } from '../../src/core/session-model.ts';
import { planPoll } from '../../src/core/checkout-poller.ts';
import type { Action } from '../../src/core/session-commands.ts';
import { reduce } from '../../src/core/reducer.ts';
import { selectState } from '../../src/core/select-state.ts';
import type { Checkout } from '../../src/protocol.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkout-responses.ts';

const next = (model: Model, ...actions: readonly Action[]): Model =>
  actions.reduce((before, action) => reduce(before, action).model, model);
const after = (...actions: readonly Action[]): Model => next(createModel(), ...actions);
const answer = (number: number, checkout: Checkout): Action => ({ type: 'loaded', number, checkout, now: 1000 });
const createInvoice: Action = { type: 'createInvoice', key: 'key_1' };
const network = new CheckoutError('network', '');

describe('a response to an older request than the last applied one', () => {
  const known = after(answer(5, makeCheckout('expired')));
  for (const [name, action] of [
    ['a checkout', answer(4, makeCheckout('pending'))],
    ['unchanged', { type: 'unchanged', number: 4 }],
    ['an error', { type: 'loadFailed', number: 4, error: network }],
  ] as const)
    it(`is ignored when it is ${name}`, () => assert.equal(next(known, action), known));

  it('is not ignored when it belongs to the same request', () => {
    assert.equal(selectState(next(known, answer(5, makeCheckout('pending')))).status, 'waiting');
    const failing = next(known, { type: 'loadFailed', number: 5, error: network });
    assert.equal(failing.connection.health.failures, 1);
    assert.equal(next(failing, { type: 'unchanged', number: 5 }).connection.health.failures, 0);
  });
});

describe('a pending create request', () => {
  const options = makeOpenCheckout().options;
  const dismissed = after(answer(1, makeCheckout('pending', {}, { options })), { type: 'dismissInvoice' });
  const creating = next(dismissed, createInvoice);

  it('is not settled by the invoice that it replaces', () => {
    for (const status of ['pending', 'failed', 'expired'] as const)
      assert.equal(selectState(next(creating, answer(2, makeCheckout(status)))).status, 'creating');
  });

  it('is settled by a new invoice with any status', () => {
    for (const [status, expected] of [
      ['pending', 'waiting'],
      ['failed', 'failed'],
      ['expired', 'expired'],
    ] as const) {
      const model = next(creating, answer(2, makeCheckout(status, { id: 'inv_2' })));
      assert.equal(selectState(model).status, expected);
      assert.equal(model.payment.pendingCreate, undefined);
      assert.equal(model.selection.dismissedInvoiceId, undefined);
    }
  });

  it('is settled by a paid checkout', () =>
    assert.equal(next(creating, answer(2, makeCheckout('paid'))).payment.pendingCreate, undefined));

  it('shows the same invoice again when the response contains it', () => {
    const response = { checkout: makeCheckout('pending'), now: 1000, number: 2 };
    assert.equal(selectState(next(creating, { type: 'created', ...response })).status, 'waiting');
  });

  it('shows the methods with the warning of paying twice when it is rejected', () => {
    const state = selectState(next(creating, { type: 'createRejected', error: network }));
    assert.ok(state.status === 'choosing' && state.refusal === network && state.activeInvoice?.id === 'inv_1');
  });
});

describe('a rejected create request', () => {
  const refused = after(answer(1, makeOpenCheckout()), createInvoice, { type: 'createRejected', error: network });

  it('shows its reason while the payer is choosing', () => {
    const state = selectState(next(refused, answer(2, makeOpenCheckout())));
    assert.ok(state.status === 'choosing' && state.refusal === network);
  });

  for (const [name, action] of [
    ['the payer chooses', { type: 'select', methodId: 'pm_sbp' }],
    ['the payer sends another create request', createInvoice],
  ] as const)
    it(`no longer shows its reason when ${name}`, () =>
      assert.equal(next(refused, action).selection.refusal, undefined));

  it('no longer shows its reason when the payer types', () => {
    const typing = [answer(1, makeOpenCheckout({ amount: null })), { type: 'createRejected', error: network }] as const;
    assert.equal(after(...typing, { type: 'setAmount', text: '5' }).selection.refusal, undefined);
  });

  it('no longer shows its reason when the payer goes back to the invoice', () => {
    const model = after(
      answer(1, makeCheckout('pending')),
      { type: 'dismissInvoice' },
      { type: 'createRejected', error: network },
      { type: 'resumeInvoice' },
      { type: 'dismissInvoice' },
    );
    assert.equal(model.selection.refusal, undefined);
  });

  it('no longer shows its reason when the payer tries again after a checkout that has ended', () => {
    const ended = after(
      answer(1, makeOpenCheckout()),
      createInvoice,
      answer(2, { ...makeCheckout('expired'), invoice: null }),
    );
    const refused = next(ended, { type: 'createRejected', error: network });
    assert.equal(selectState(refused).status, 'expired');
    assert.equal(next(refused, { type: 'retry' }).selection.refusal, undefined);
  });

  it('does not show its reason again after requisites were shown', () => {
    const model = next(next(refused, answer(2, makeCheckout('pending'))), { type: 'dismissInvoice' });
    const state = selectState(model);
    assert.ok(state.status === 'choosing' && state.refusal === undefined);
  });
});

describe('an amount mismatch', () => {
  it('is no longer shown once its invoice has ended', () => {
    const model = after(answer(1, makeCheckout('failed', { amount: '1.00' })), { type: 'retry' });
    const state = selectState(model);
    assert.ok(state.status === 'choosing' && state.refusal === undefined);
  });
});

describe('actions that do not apply to the screen', () => {
  const commands: readonly Action[] = [
    { type: 'select', methodId: 'pm_card' },
    { type: 'setAmount', text: '1' },
    createInvoice,
    { type: 'dismissInvoice' },
    { type: 'resumeInvoice' },
    { type: 'retry' },
    { type: 'tick', now: 10_000_000 },
  ];
  for (const [name, model, fitting] of [
    ['loading', after(), []],
    ['choosing', after(answer(1, makeOpenCheckout())), ['select', 'createInvoice']],
    ['choosing with a typed amount', after(answer(1, makeOpenCheckout({ amount: null }))), ['select', 'setAmount']],
    ['creating', after(answer(1, makeOpenCheckout()), createInvoice), []],
    ['waiting', after(answer(1, makeCheckout('pending'))), ['dismissInvoice', 'tick']],
    ['paid', after(answer(1, makeCheckout('paid'))), []],
    ['failed', after(answer(1, makeCheckout('failed'))), ['retry']],
    ['expired', after(answer(1, makeCheckout('expired'))), ['retry']],
  ] as const)
    it(`change nothing while ${name}`, () => {
      const changing = commands.filter((command) => next(model, command) !== model).map(({ type }) => type);
      assert.deepEqual(changing, fitting);
    });
});

describe('a tick', () => {
  const waiting = after(answer(1, makeCheckout('pending', { expires_in_ms: undefined })));

  for (const [ms, slow] of [
    [119_999, false],
    [120_000, true],
  ] as const)
    it(`${slow ? 'marks' : 'does not mark'} the wait as slow after ${ms} ms`, () =>
      assert.equal(next(waiting, { type: 'tick', now: 1000 + ms }).payment.slow, slow));

  it('returns the same model when nothing changes', () => {
    assert.equal(next(waiting, { type: 'tick', now: 1001 }), waiting);
    const slow = next(waiting, { type: 'tick', now: 200_000 });
    assert.equal(next(slow, { type: 'tick', now: 200_001 }), slow);
  });
});

describe('a stop', () => {
  const known = after(answer(1, makeCheckout('expired')));

  it('changes nothing when no request is under way', () => assert.equal(next(known, { type: 'stop' }), known));

  it('ends a refresh', () =>
    assert.equal(
      next(next(known, { type: 'start' }, { type: 'refresh' }), { type: 'stop' }).connection.refreshing,
      false,
    ));
});

describe('the next poll', () => {
  const moment = { now: 2000, elapsed: 0, visible: true, random: 0.5 };
  const waiting = after(answer(1, makeCheckout('pending')));

  it('is soon and no long poll while the deadline is uncertain', () => {
    assert.deepEqual(planPoll(next(waiting, { type: 'sleep' }), moment), { after: 1000, longPoll: false });
    assert.deepEqual(planPoll(waiting, moment), { after: 2000, longPoll: true });
  });

  it('is later after an error on a hidden page', () => {
    const failing = next(waiting, { type: 'loadFailed', number: 2, error: network });
    assert.deepEqual(planPoll(failing, moment), { after: 1000, longPoll: false });
    assert.deepEqual(planPoll(failing, { ...moment, visible: false }), { after: 20_000, longPoll: false });
  });

  it('is earlier by the duration of the last read', () =>
    assert.deepEqual(planPoll(waiting, { ...moment, elapsed: 25_000 }), { after: 0, longPoll: true }));
});

describe('events', () => {
  const between = (...checkouts: readonly Checkout[]): string[] => {
    const models = checkouts.map((_, index) =>
      after(...checkouts.slice(0, index + 1).map((one, n) => answer(n + 1, one))),
    );
    return models
      .flatMap((model, index) => diffEvents(models[index - 1] ?? createModel(), model))
      .map(({ type }) => type);
  };

  it('report that a new invoice failed too, and nothing when the same one is read again', () => {
    const failed = makeCheckout('failed');
    assert.deepEqual(between(failed, failed, makeCheckout('failed', { id: 'inv_2' })), [
      'ready',
      'status',
      'failed',
      'created',
      'failed',
    ]);
  });

  it('contain `ready` once, also when there is nothing to show in between', () => {
    const events = between(makeOpenCheckout(), { ...makeCheckout('failed'), invoice: null }, makeCheckout('pending'));
    assert.deepEqual(events, ['ready', 'status', 'status', 'failed', 'created', 'status']);
  });
});
