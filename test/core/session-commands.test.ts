import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError } from '../../src/core.ts';
import type { Action, Command } from '../../src/core/session-commands.ts';
import { createModel, type Model } from '../../src/core/session-model.ts';
import { reduce } from '../../src/core/reducer.ts';
import { selectState } from '../../src/core/select-state.ts';
import type { Checkout, PaymentOption } from '../../src/protocol.ts';
import { cardOption, makeCheckout, makeOpenCheckout, sbpOption } from '../support/checkout-responses.ts';

const next = (model: Model, ...actions: readonly Action[]): Model =>
  actions.reduce((before, action) => reduce(before, action).model, model);
const running = (...actions: readonly Action[]): Model => next(createModel(), { type: 'start' }, ...actions);
const loaded = (checkout: Checkout, number = 1): Action => ({ type: 'loaded', number, checkout, now: 1000 });
const createInvoice: Action = { type: 'createInvoice', key: 'key_1' };
const rejected: Action = { type: 'createRejected', error: new CheckoutError('method_unavailable', '') };

/** A command as text: its type and its value. */
const named = ({ type, value }: Command): string => {
  if (type === 'create') return value ? `create ${value.request.key}` : 'cancel create';
  if (type === 'timer') return value ? 'timer' : 'stop timer';
  return value === undefined ? type : `${type} ${value}`;
};
const commandsOf = (model: Model, action: Action): readonly string[] => reduce(model, action).commands.map(named);

const open = running(loaded(makeOpenCheckout()));
const typed = running(loaded(makeOpenCheckout({ amount: null })));
const creating = next(open, createInvoice);
const waiting = running(loaded(makeCheckout('pending')));
const dismissed = next(running(loaded(makeCheckout('pending', {}, { options: [sbpOption] }))), {
  type: 'dismissInvoice',
});
const failed = running(loaded(makeCheckout('failed')));
const initial = next(createModel(), { type: 'hydrate', checkout: makeOpenCheckout(), number: 0, now: 0 });

describe('the reducer returns the commands of an action in their order', () => {
  for (const [title, model, action, expected] of [
    ['a first start reads at once', createModel(), { type: 'start' }, ['start', 'notify']],
    ['a start with a checkout from the page waits', initial, { type: 'start' }, ['start 2000', 'notify']],
    ['a start after a stop reads at once', next(open, { type: 'stop' }), { type: 'start' }, ['start 0', 'notify']],
    ['a second start does nothing', open, { type: 'start' }, []],
    ['a stop ends the polling', open, { type: 'stop' }, ['stop', 'notify']],
    ['a stop ends the timer', waiting, { type: 'stop' }, ['stop', 'stop timer', 'notify']],
    ['a stop cancels a create request', creating, { type: 'stop' }, ['stop', 'cancel create', 'notify']],
    ['a stop before the start does nothing', createModel(), { type: 'stop' }, []],
    [
      'a start after a stop repeats the create request',
      next(creating, { type: 'stop' }),
      { type: 'start' },
      ['start 0', 'create key_1', 'notify'],
    ],
    ['a selected method is only shown', open, { type: 'select', methodId: 'pm_sbp' }, ['notify']],
    ['an unknown method does nothing', open, { type: 'select', methodId: 'x' }, []],
    ['a typed amount requests its options', typed, { type: 'setAmount', text: '500' }, ['loadLater 350', 'notify']],
    ['an invalid typed amount requests nothing', typed, { type: 'setAmount', text: 'x' }, ['notify']],
    ['a preferred method is only shown', open, { type: 'prefer', method: 'sbp' }, ['notify']],
    ['a create request is sent', open, createInvoice, ['create key_1', 'replan', 'notify']],
    ['a second create request does nothing', creating, createInvoice, []],
    [
      'a rejected create request reads at once',
      creating,
      rejected,
      ['cancel create', 'replan', 'notify', 'load false'],
    ],
    [
      'a created invoice starts the timer and counts from now',
      creating,
      { type: 'created', checkout: makeCheckout('pending'), number: 2, now: 1000 },
      ['cancel create', 'timer', 'replan', 'notify', 'restart'],
    ],
    ['a create request in doubt goes on', creating, { type: 'createInDoubt' }, ['notify']],
    [
      'a dismissed invoice requests options',
      waiting,
      { type: 'dismissInvoice' },
      ['stop timer', 'replan', 'loadLater 0', 'notify'],
    ],
    ['a resumed invoice starts the timer', dismissed, { type: 'resumeInvoice' }, ['timer', 'replan', 'notify']],
    ['the same method resumes its invoice', dismissed, createInvoice, ['timer', 'replan', 'notify']],
    ['a retry requests options', failed, { type: 'retry' }, ['replan', 'loadLater 0', 'notify']],
    ['a refresh of an ended checkout is shown', failed, { type: 'refresh' }, ['notify', 'load true']],
    ['a refresh of a waiting checkout is not shown', waiting, { type: 'refresh' }, ['load true']],
    [
      'a checkout from the page drops the read that is under way',
      open,
      { type: 'hydrate', checkout: makeOpenCheckout(), number: 2, now: 1000 },
      ['notify', 'restart'],
    ],
    ['a sleep makes the time uncertain and reads', waiting, { type: 'sleep' }, ['timer', 'notify', 'load false']],
    ['a sleep without a deadline reads', open, { type: 'sleep' }, ['load false']],
    ['a sleep during a read does not read again', waiting, { type: 'sleep', duringLoad: true }, ['timer', 'notify']],
    ['a tick at the deadline reads', waiting, { type: 'tick', now: 901_000 }, ['notify', 'load false']],
    ['a tick before the deadline does nothing', waiting, { type: 'tick', now: 2000 }, []],
    ['the same response keeps the timer', waiting, loaded(makeCheckout('pending'), 2), ['notify']],
    ['an older response does nothing', waiting, loaded(makeOpenCheckout(), 0), []],
    ['nothing but a notification follows before a start', initial, createInvoice, ['notify']],
  ] satisfies readonly (readonly [string, Model, Action, readonly string[]])[])
    it(title, () => assert.deepEqual(commandsOf(model, action), expected));
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value) && !(value instanceof Error)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}

describe('the reducer', () => {
  const hydrate: Action = { type: 'hydrate', checkout: makeCheckout('pending'), number: 3, now: 1 };
  for (const action of [
    ...([{ type: 'start' }, { type: 'stop' }, { type: 'dismissInvoice' }, { type: 'resumeInvoice' }] as const),
    ...([{ type: 'retry' }, { type: 'refresh' }, { type: 'sleep' }, { type: 'tick', now: 2_000_000 }] as const),
    ...[createInvoice, rejected, hydrate, loaded(makeCheckout('expired'), 4)],
  ] satisfies readonly Action[])
    it(`is pure for ${action.type}: a frozen model is not changed, and the same input has the same result`, () => {
      for (const model of [createModel(), initial, open, typed, creating, waiting, dismissed, failed]) {
        deepFreeze(model);
        deepFreeze(action);
        assert.deepEqual(reduce(model, action), reduce(model, action));
      }
    });

  it('computes the state once for a response', () => {
    let computed = 0;
    const options: PaymentOption[] = [cardOption];
    // Preselecting a method filters the options once each time that the state is computed.
    Object.defineProperty(options, 'filter', {
      value: (...args: Parameters<PaymentOption[]['filter']>) => {
        computed += 1;
        return [...options].filter(...args);
      },
    });
    const { model } = reduce(open, loaded({ ...makeOpenCheckout(), options }, 2));
    selectState(model);
    selectState(model);
    assert.equal(computed, 1);
  });
});
