import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError } from '../../src/core.ts';
import { diffEvents } from '../../src/core/diff-events.ts';
import { emptyModel, type Model } from '../../src/core/model.ts';
import { paceOf } from '../../src/core/poll-policy.ts';
import { reduce, type Action } from '../../src/core/reducer.ts';
import { selectState } from '../../src/core/select-state.ts';
import type { Checkout } from '../../src/protocol.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkouts.ts';

const after = (...actions: readonly Action[]): Model => actions.reduce(reduce, emptyModel);
const answer = (number: number, checkout: Checkout): Action => ({ type: 'answer', number, checkout, now: 1000 });
const request = { key: 'key_1', payment_method_id: 'pm_card' };
const network = new CheckoutError('network', '');

describe('an answer that is older than the last applied', () => {
  const known = after(answer(5, makeCheckout('expired')));
  for (const [name, action] of [
    ['a checkout', answer(4, makeCheckout('pending'))],
    ['unchanged', { type: 'unchanged', number: 4 }],
    ['an error', { type: 'unanswered', number: 4, error: network }],
  ] as const)
    it(`is dropped when it is ${name}`, () => assert.equal(reduce(known, action), known));

  it('is not one when it is of the same request', () => {
    assert.equal(selectState(reduce(known, answer(5, makeCheckout('pending')))).status, 'waiting');
    const failing = reduce(known, { type: 'unanswered', number: 5, error: network });
    assert.equal(failing.connection.failures, 1);
    assert.equal(reduce(failing, { type: 'unchanged', number: 5 }).connection.failures, 0);
  });
});

describe('an ask for requisites', () => {
  const options = makeOpenCheckout().options;
  const left = after(answer(1, makeCheckout('pending', {}, { options })), { type: 'leave' });
  const asked = reduce(left, { type: 'asked', request });

  it('is not settled by the invoice that it replaces', () => {
    for (const status of ['pending', 'failed', 'expired'] as const)
      assert.equal(selectState(reduce(asked, answer(2, makeCheckout(status)))).status, 'creating');
  });

  it('is settled by a new invoice, whatever became of it', () => {
    for (const [status, expected] of [
      ['pending', 'waiting'],
      ['failed', 'failed'],
      ['expired', 'expired'],
    ] as const) {
      const model = reduce(asked, answer(2, makeCheckout(status, { id: 'inv_2' })));
      assert.equal(selectState(model).status, expected);
      assert.equal(model.ask, undefined);
      assert.equal(model.left, undefined);
    }
  });

  it('is over once it is paid', () => assert.equal(reduce(asked, answer(2, makeCheckout('paid'))).ask, undefined));

  it('shows the same invoice again when that is what was answered', () => {
    const came = { checkout: makeCheckout('pending'), now: 1000, number: 2 };
    assert.equal(selectState(reduce(asked, { type: 'created', came })).status, 'waiting');
  });

  it('keeps the payer on the methods, with the warning, when it is refused', () => {
    const state = selectState(reduce(asked, { type: 'refused', error: network }));
    assert.ok(state.status === 'choosing' && state.refusal === network && state.activeInvoice?.id === 'inv_1');
  });
});

describe('a refusal', () => {
  const refused = after(answer(1, makeOpenCheckout()), { type: 'asked', request }, { type: 'refused', error: network });

  it('stays while the payer is choosing', () => {
    const state = selectState(reduce(refused, answer(2, makeOpenCheckout())));
    assert.ok(state.status === 'choosing' && state.refusal === network);
  });

  for (const [name, action] of [
    ['the payer chooses', { type: 'select', methodId: 'pm_sbp' }],
    ['the payer asks again', { type: 'asked', request }],
  ] as const)
    it(`goes when ${name}`, () => assert.equal(reduce(refused, action).refusal, undefined));

  it('goes when the payer types', () => {
    const typing = [answer(1, makeOpenCheckout({ amount: null })), { type: 'refused', error: network }] as const;
    assert.equal(after(...typing, { type: 'type', text: '5' }).refusal, undefined);
  });

  it('goes when the payer goes back to the invoice', () => {
    const model = after(
      answer(1, makeCheckout('pending')),
      { type: 'leave' },
      { type: 'refused', error: network },
      { type: 'resume' },
      { type: 'leave' },
    );
    assert.equal(model.refusal, undefined);
  });

  it('goes when the payer begins anew after a checkout that ended meanwhile', () => {
    const ended = after(
      answer(1, makeOpenCheckout()),
      { type: 'asked', request },
      answer(2, { ...makeCheckout('expired'), invoice: null }),
    );
    const refused = reduce(ended, { type: 'refused', error: network });
    assert.equal(selectState(refused).status, 'expired');
    assert.equal(reduce(refused, { type: 'retry' }).refusal, undefined);
  });

  it('does not come back with the methods after requisites were shown', () => {
    const model = reduce(reduce(refused, answer(2, makeCheckout('pending'))), { type: 'leave' });
    const state = selectState(model);
    assert.ok(state.status === 'choosing' && state.refusal === undefined);
  });
});

describe('an amount that does not fit', () => {
  it('is no refusal any more once its invoice has ended', () => {
    const model = after(answer(1, makeCheckout('failed', { amount: '1.00' })), { type: 'retry' });
    const state = selectState(model);
    assert.ok(state.status === 'choosing' && state.refusal === undefined);
  });
});

describe('commands that do not fit the screen', () => {
  const commands: readonly Action[] = [
    { type: 'select', methodId: 'pm_card' },
    { type: 'type', text: '1' },
    { type: 'leave' },
    { type: 'resume' },
    { type: 'retry' },
    { type: 'tick', now: 10_000_000 },
  ];
  for (const [name, model, fitting] of [
    ['loading', after(), []],
    ['choosing', after(answer(1, makeOpenCheckout())), ['select']],
    ['choosing with a typed amount', after(answer(1, makeOpenCheckout({ amount: null }))), ['select', 'type']],
    ['creating', after(answer(1, makeOpenCheckout()), { type: 'asked', request }), []],
    ['waiting', after(answer(1, makeCheckout('pending'))), ['leave', 'tick']],
    ['paid', after(answer(1, makeCheckout('paid'))), []],
    ['failed', after(answer(1, makeCheckout('failed'))), ['retry']],
    ['expired', after(answer(1, makeCheckout('expired'))), ['retry']],
  ] as const)
    it(`change nothing while ${name}`, () => {
      const changing = commands.filter((command) => reduce(model, command) !== model).map(({ type }) => type);
      assert.deepEqual(changing, fitting);
    });
});

describe('a beat', () => {
  const waiting = after(answer(1, makeCheckout('pending', { expires_in_ms: undefined })));

  for (const [ms, long] of [
    [119_999, false],
    [120_000, true],
  ] as const)
    it(`after ${ms} ms of waiting says that it is ${long ? '' : 'not '}long`, () =>
      assert.equal(reduce(waiting, { type: 'tick', now: 1000 + ms }).long, long));

  it('that brings nothing new changes nothing', () => {
    assert.equal(reduce(waiting, { type: 'tick', now: 1001 }), waiting);
    const long = reduce(waiting, { type: 'tick', now: 200_000 });
    assert.equal(reduce(long, { type: 'tick', now: 200_001 }), long);
  });
});

describe('a stop', () => {
  const known = after(answer(1, makeCheckout('expired')));

  it('changes nothing when nothing is under way', () => assert.equal(reduce(known, { type: 'stop' }), known));

  it('ends the looking once more', () =>
    assert.equal(reduce(reduce(known, { type: 'refresh' }), { type: 'stop' }).asking, false));
});

describe('the pace', () => {
  const moment = { now: 2000, elapsed: 0, visible: true, random: 0.5 };
  const waiting = after(answer(1, makeCheckout('pending')));

  it('is quick and not held while the time is in doubt', () => {
    assert.deepEqual(paceOf(reduce(waiting, { type: 'sleep' }), moment), { after: 1000, hold: false });
    assert.deepEqual(paceOf(waiting, moment), { after: 2000, hold: true });
  });

  it('of errors is slower on a hidden page', () => {
    const failing = reduce(waiting, { type: 'unanswered', number: 2, error: network });
    assert.deepEqual(paceOf(failing, moment), { after: 1000, hold: false });
    assert.deepEqual(paceOf(failing, { ...moment, visible: false }), { after: 20_000, hold: false });
  });

  it('counts the time that the last answer took', () =>
    assert.deepEqual(paceOf(waiting, { ...moment, elapsed: 25_000 }), { after: 0, hold: true }));
});

describe('events', () => {
  const between = (...checkouts: readonly Checkout[]): string[] => {
    const models = checkouts.map((_, index) =>
      after(...checkouts.slice(0, index + 1).map((one, n) => answer(n + 1, one))),
    );
    return models.flatMap((model, index) => diffEvents(models[index - 1] ?? emptyModel, model)).map(({ type }) => type);
  };

  it('tell that a new invoice failed too, and say nothing when the same one is told again', () => {
    const failed = makeCheckout('failed');
    assert.deepEqual(between(failed, failed, makeCheckout('failed', { id: 'inv_2' })), [
      'ready',
      'status',
      'failed',
      'created',
      'failed',
    ]);
  });

  it('tell that something can be shown once, also when there is nothing to show meanwhile', () => {
    const told = between(makeOpenCheckout(), { ...makeCheckout('failed'), invoice: null }, makeCheckout('pending'));
    assert.deepEqual(told, ['ready', 'status', 'status', 'failed', 'created', 'status']);
  });
});
