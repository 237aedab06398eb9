import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError, type CheckoutState } from '../../src/core.ts';
import { diffEvents, type Action } from '../../src/core/session-commands.ts';
import { createModel, type Model } from '../../src/core/session-model.ts';
import { selectState } from '../../src/core/select-public-state.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkout-responses.ts';
import { applyActions, createInvoice, loaded, loadedAt, modelAfter } from './models.ts';

const networkError = new CheckoutError('network', '');

describe('a response to an older request than the last applied one', () => {
  const knownModel = modelAfter(loaded(5, makeCheckout('expired')));
  for (const [name, action] of [
    ['a checkout', loaded(4, makeCheckout('pending'))],
    ['the result `unchanged`', { type: 'unchanged', number: 4, now: 1000 }],
    ['an error', { type: 'loadFailed', number: 4, error: networkError, now: 1000 }],
  ] as const)
    it(`is ignored when it is ${name}`, () => assert.equal(applyActions(knownModel, action), knownModel));
});

describe('a response to the last applied request', () => {
  it('is applied', () => {
    const knownModel = modelAfter(loaded(5, makeCheckout('expired')));
    assert.equal(selectState(applyActions(knownModel, loaded(5, makeCheckout('pending')))).status, 'waiting');
    const failingModel = applyActions(knownModel, { type: 'loadFailed', number: 5, error: networkError, now: 1000 });
    assert.equal(failingModel.connection.health.failures, 1);
    assert.equal(applyActions(failingModel, { type: 'unchanged', number: 5, now: 1000 }).connection.health.failures, 0);
  });
});

describe('a pending create request', () => {
  const options = makeOpenCheckout().options;
  const dismissedModel = modelAfter(loaded(1, makeCheckout('pending', {}, { options })), { type: 'dismissInvoice' });
  const creatingModel = applyActions(dismissedModel, createInvoice);

  it('is not settled by the invoice that it replaces', () => {
    for (const status of ['pending', 'failed', 'expired'] as const)
      assert.equal(selectState(applyActions(creatingModel, loaded(2, makeCheckout(status)))).status, 'creating');
  });

  it('is settled by a new invoice with any status', () => {
    for (const [status, expected] of [
      ['pending', 'waiting'],
      ['failed', 'failed'],
      ['expired', 'expired'],
    ] as const) {
      const model = applyActions(creatingModel, loaded(2, makeCheckout(status, { id: 'inv_2' })));
      assert.equal(selectState(model).status, expected);
      assert.equal(model.payment.pendingCreate, undefined);
      assert.equal(model.selection.dismissedInvoiceId, undefined);
    }
  });

  it('is settled by a paid checkout', () =>
    assert.equal(applyActions(creatingModel, loaded(2, makeCheckout('paid'))).payment.pendingCreate, undefined));

  it('leads back to the invoice that it should replace when its own response contains that invoice', () => {
    const response = { checkout: makeCheckout('pending'), now: 1000, number: 2 };
    assert.equal(selectState(applyActions(creatingModel, { type: 'created', ...response })).status, 'waiting');
  });

  it('shows the methods with the warning of paying twice when it is rejected', () => {
    const state = selectState(applyActions(creatingModel, { type: 'createRejected', error: networkError }));
    assert.ok(state.status === 'choosing' && state.refusal === networkError && state.activeInvoice?.id === 'inv_1');
  });
});

describe('a rejected create request', () => {
  const rejection: Action = { type: 'createRejected', error: networkError };
  const rejectedModel = modelAfter(loaded(1, makeOpenCheckout()), createInvoice, rejection);

  it('shows its reason while the payer is choosing', () => {
    const state = selectState(applyActions(rejectedModel, loaded(2, makeOpenCheckout())));
    assert.ok(state.status === 'choosing' && state.refusal === networkError);
  });

  const expiredModel = modelAfter(
    loaded(1, makeOpenCheckout()),
    createInvoice,
    loaded(2, { ...makeCheckout('expired'), invoice: null }),
    rejection,
  );
  const dismissedModel = modelAfter(loaded(1, makeCheckout('pending')), { type: 'dismissInvoice' }, rejection);
  for (const [name, model, ...actions] of [
    ['chooses a method', rejectedModel, { type: 'select', methodId: 'pm_sbp' }],
    ['sends another create request', rejectedModel, createInvoice],
    [
      'types an amount',
      modelAfter(loaded(1, makeOpenCheckout({ amount: null })), rejection),
      { type: 'setAmount', text: '5' },
    ],
    ['goes back to the invoice', dismissedModel, { type: 'resumeInvoice' }, { type: 'dismissInvoice' }],
    ['goes from an expired checkout back to the methods', expiredModel, { type: 'retry' }],
  ] satisfies readonly (readonly [string, Model, ...Action[]])[])
    it(`no longer shows its reason when the payer ${name}`, () => {
      assert.equal(model.selection.refusal, networkError);
      assert.equal(applyActions(model, ...actions).selection.refusal, undefined);
    });

  it('does not show its reason again after requisites were shown', () => {
    const model = applyActions(applyActions(rejectedModel, loaded(2, makeCheckout('pending'))), {
      type: 'dismissInvoice',
    });
    const state = selectState(model);
    assert.ok(state.status === 'choosing' && state.refusal === undefined);
  });
});

describe('an amount mismatch', () => {
  it('is not shown once its invoice has ended', () => {
    const model = modelAfter(loaded(1, makeCheckout('failed', { amount: '1.00' })), { type: 'retry' });
    const state = selectState(model);
    assert.ok(state.status === 'choosing' && state.refusal === undefined);
  });
});

describe('the actions that change the model', () => {
  const actions: readonly Action[] = [
    { type: 'select', methodId: 'pm_card' },
    { type: 'setAmount', text: '1' },
    createInvoice,
    { type: 'dismissInvoice' },
    { type: 'resumeInvoice' },
    { type: 'retry' },
    { type: 'tick', timeIsUp: true },
  ];
  for (const [name, model, expectedTypes] of [
    ['loading', modelAfter(), []],
    ['choosing', modelAfter(loaded(1, makeOpenCheckout())), ['select', 'createInvoice']],
    [
      'choosing with a typed amount',
      modelAfter(loaded(1, makeOpenCheckout({ amount: null }))),
      ['select', 'setAmount'],
    ],
    ['creating', modelAfter(loaded(1, makeOpenCheckout()), createInvoice), []],
    ['waiting', modelAfter(loaded(1, makeCheckout('pending'))), ['dismissInvoice']],
    ['paid', modelAfter(loaded(1, makeCheckout('paid'))), []],
    ['failed', modelAfter(loaded(1, makeCheckout('failed'))), ['retry']],
    ['expired', modelAfter(loaded(1, makeCheckout('expired'))), ['retry']],
  ] as const)
    it(`are ${expectedTypes.length === 0 ? 'none' : `only ${expectedTypes.join(' and ')}`} in the state: ${name}`, () => {
      const changingActions = actions.filter((action) => applyActions(model, action) !== model);
      assert.deepEqual(
        changingActions.map(({ type }) => type),
        expectedTypes,
      );
    });
});

describe('what follows from the time', () => {
  const waitingModel = modelAfter(loaded(1, makeCheckout('pending')));
  const stateAt = (ms: number): CheckoutState => selectState(waitingModel, loadedAt + ms);

  for (const [ms, slow, verifyingExpiry] of [
    [119_999, false, false],
    [120_000, true, false],
    [899_999, true, false],
    [900_000, true, true],
  ] as const)
    it(`is ${slow ? 'a slow' : 'no slow'} wait whose time is ${verifyingExpiry ? 'up' : 'not up'} after ${ms} ms`, () => {
      const state = stateAt(ms);
      assert.ok(state.status === 'waiting');
      assert.deepEqual([state.slow, state.verifyingExpiry], [slow, verifyingExpiry]);
    });
});

describe('a stop', () => {
  const knownModel = modelAfter(loaded(1, makeCheckout('expired')));

  it('changes nothing when no request is under way', () =>
    assert.equal(applyActions(knownModel, { type: 'stop' }), knownModel));
});

describe('the events of a series of responses', () => {
  const eventTypesOf = (...checkouts: readonly Checkout[]): string[] => {
    const models = checkouts.map((_, index) =>
      modelAfter(...checkouts.slice(0, index + 1).map((checkout, position) => loaded(position + 1, checkout))),
    );
    return models
      .flatMap((model, index) => diffEvents(models[index - 1] ?? createModel(), model))
      .map(({ type }) => type);
  };

  it('report the failure of each invoice once, even if a failed invoice is read twice', () => {
    const failedCheckout = makeCheckout('failed');
    assert.deepEqual(eventTypesOf(failedCheckout, failedCheckout, makeCheckout('failed', { id: 'inv_2' })), [
      'ready',
      'status',
      'failed',
      'created',
      'failed',
    ]);
  });
});
