import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError } from '../../src/core.ts';
import type { Action, Command } from '../../src/core/session-commands.ts';
import { createModel, type Model } from '../../src/core/session-model.ts';
import { reduce } from '../../src/core/reducer.ts';
import { makeCheckout, makeOpenCheckout, sbpOption } from '../support/checkout-responses.ts';
import { applyActions, createInvoice, loaded, modelAfter } from './models.ts';

const startedModel = (...actions: readonly Action[]): Model => modelAfter({ type: 'start' }, ...actions);
const rejected: Action = { type: 'createRejected', error: new CheckoutError('method_unavailable', '') };

/** A command as text: its type and its value. */
const describeCommand = ({ type, value }: Command): string => {
  if (type === 'create') return value ? `create ${value.request.key}` : 'cancel create';
  if (type === 'timer') return value ? 'timer' : 'stop timer';
  return value === undefined ? type : `${type} ${value}`;
};
const commandsOf = (model: Model, action: Action): readonly string[] =>
  reduce(model, action).commands.map(describeCommand);

const openModel = startedModel(loaded(1, makeOpenCheckout()));
const modelWithoutAmount = startedModel(loaded(1, makeOpenCheckout({ amount: null })));
const creatingModel = applyActions(openModel, createInvoice);
const waitingModel = startedModel(loaded(1, makeCheckout('pending')));
const dismissedModel = startedModel(loaded(1, makeCheckout('pending', {}, { options: [sbpOption] })), {
  type: 'dismissInvoice',
});
const failedModel = startedModel(loaded(1, makeCheckout('failed')));
const hydratedModel = modelAfter({ type: 'hydrate', checkout: makeOpenCheckout(), number: 0, now: 0 });

describe('the commands that the reducer returns, in their order', () => {
  for (const [title, model, action, expected] of [
    ['a first start reads at once', createModel(), { type: 'start' }, ['start']],
    ['a start with a checkout from the page waits', hydratedModel, { type: 'start' }, ['start 2000']],
    ['a start after a stop reads at once', applyActions(openModel, { type: 'stop' }), { type: 'start' }, ['start 0']],
    ['a second start does nothing', openModel, { type: 'start' }, []],
    ['a stop ends the polling', openModel, { type: 'stop' }, ['stop']],
    ['a stop ends the polling and the timer', waitingModel, { type: 'stop' }, ['stop', 'stop timer']],
    [
      'a stop ends the polling and cancels a create request',
      creatingModel,
      { type: 'stop' },
      ['stop', 'cancel create'],
    ],
    ['a stop before the start does nothing', createModel(), { type: 'stop' }, []],
    [
      'a start after a stop repeats the create request',
      applyActions(creatingModel, { type: 'stop' }),
      { type: 'start' },
      ['start 0', 'create key_1', 'timer'],
    ],
    ['selecting a method commands nothing', openModel, { type: 'select', methodId: 'pm_sbp' }, []],
    ['an unknown method does nothing', openModel, { type: 'select', methodId: 'x' }, []],
    ['a typed amount requests its options', modelWithoutAmount, { type: 'setAmount', text: '500' }, ['loadLater 350']],
    ['an invalid typed amount requests nothing', modelWithoutAmount, { type: 'setAmount', text: 'x' }, []],
    ['preferring a method commands nothing', openModel, { type: 'prefer', method: 'sbp' }, []],
    ['a create request is sent', openModel, createInvoice, ['create key_1', 'restart']],
    ['a second create request does nothing', creatingModel, createInvoice, []],
    ['a rejected create request reads at once', creatingModel, rejected, ['cancel create', 'replan', 'load']],
    [
      'a created invoice starts the timer and a new polling interval',
      creatingModel,
      { type: 'created', checkout: makeCheckout('pending'), number: 2, now: 1000 },
      ['cancel create', 'timer', 'replan', 'restart'],
    ],
    ['a create request in doubt is not cancelled', creatingModel, { type: 'createInDoubt' }, ['timer']],
    [
      'dismissing an invoice stops the timer and requests options',
      waitingModel,
      { type: 'dismissInvoice' },
      ['stop timer', 'replan', 'loadLater 0'],
    ],
    ['resuming an invoice starts the timer', dismissedModel, { type: 'resumeInvoice' }, ['timer', 'replan']],
    [
      'a create request for the method of a dismissed invoice only resumes that invoice',
      dismissedModel,
      createInvoice,
      ['timer', 'replan'],
    ],
    ['a retry requests options', failedModel, { type: 'retry' }, ['replan', 'loadLater 0']],
    ['a refresh of an ended checkout reads', failedModel, { type: 'refresh' }, ['load join']],
    ['a refresh of a waiting checkout only reads', waitingModel, { type: 'refresh' }, ['load join']],
    ['a check asks the service', waitingModel, { type: 'refresh', check: true }, ['load check']],
    [
      'a checkout from the page drops the read that is under way',
      openModel,
      { type: 'hydrate', checkout: makeOpenCheckout(), number: 2, now: 1000 },
      ['restart'],
    ],
    ['a sleep sets the timer again and reads', waitingModel, { type: 'sleep' }, ['timer', 'load']],
    ['a sleep without a deadline reads', openModel, { type: 'sleep' }, ['load']],
    ['a sleep during a read causes no second read', waitingModel, { type: 'sleep', duringLoad: true }, ['timer']],
    ['a tick at the deadline reads', waitingModel, { type: 'tick', timeIsUp: true }, ['load']],
    ['a tick before the deadline commands nothing', waitingModel, { type: 'tick', timeIsUp: false }, []],
    ['a response with the same deadline keeps the timer', waitingModel, loaded(2, makeCheckout('pending')), []],
    ['an older response does nothing', waitingModel, loaded(0, makeOpenCheckout()), []],
    ['a create request before the start commands nothing', hydratedModel, createInvoice, []],
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
    ...([{ type: 'retry' }, { type: 'refresh' }, { type: 'sleep' }, { type: 'tick', timeIsUp: true }] as const),
    ...[createInvoice, rejected, hydrate, loaded(4, makeCheckout('expired'))],
  ] satisfies readonly Action[])
    it(`is pure for ${action.type}: a frozen model is not changed, and the same input has the same result`, () => {
      for (const model of [
        createModel(),
        hydratedModel,
        openModel,
        modelWithoutAmount,
        creatingModel,
        waitingModel,
        dismissedModel,
        failedModel,
      ]) {
        deepFreeze(model);
        deepFreeze(action);
        assert.deepEqual(reduce(model, action), reduce(model, action));
      }
    });
});
