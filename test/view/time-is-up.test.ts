import { assert } from '@open-wc/testing';
import { makeEndedCheckout, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import { Backend } from './changeable-backend.ts';
import { findAll, findButton, mount, rootOf, textOf, until } from './widget-from-source.ts';

const buttonsOf = (widget: Element): string[] => findAll(widget, '[part=actions] button').map(textOf);
const headingOf = (widget: Element): string => textOf(rootOf(widget).querySelector('h3'));
const pastDeadline = makePendingCheckout({ ...sbp, expires_in_ms: 0 });

describe('a payment whose time is up', () => {
  for (const [name, checkout] of Object.entries({ checking: pastDeadline, expired: makeEndedCheckout('expired') }))
    it(`creates a new invoice only after a confirmation, whose heading has the focus: in the state ${name}`, async () => {
      const widget = await mount(new Backend(checkout), 'en');
      await until('the buttons', () => rootOf(widget).querySelector('[part=actions]'));
      findButton(widget, /^Pay again$/).click();
      await until('the question', () => headingOf(widget) === 'Have you already sent the money?');
      assert.equal(textOf(rootOf(widget).activeElement), 'Have you already sent the money?');
      assert.deepEqual(buttonsOf(widget), ['Yes, check payment', 'No, pay again']);
      assert.notEqual(widget.state.status, 'choosing');
      findButton(widget, /^No, pay again/).click();
      await until('the methods', () => widget.state.status === 'choosing');
    });

  it('shows the outcome instead of the confirmation after a check, which reads the checkout', async () => {
    const backend = new Backend(makeEndedCheckout('expired'));
    const widget = await mount(backend, 'en');
    await until('the buttons', () => rootOf(widget).querySelector('[part=actions]'));
    findButton(widget, /^Pay again$/).click();
    await until('the question', () => headingOf(widget).startsWith('Have you'));
    const { reads } = backend;
    findButton(widget, /^Yes, check payment$/).click();
    await until('the end', () => headingOf(widget) === 'Payment time has run out');
    assert.isAbove(backend.reads, reads);
    findButton(widget, /^Pay again$/).click();
    await until('the question again', () => headingOf(widget).startsWith('Have you'));
    assert.notEqual(widget.state.status, 'choosing');
  });

  for (const [name, checkout] of Object.entries({ checking: pastDeadline, expired: makeEndedCheckout('expired') }))
    it(`becomes paid when the bank confirms late, also while the confirmation is shown: in the state ${name}`, async () => {
      const backend = new Backend(checkout);
      const widget = await mount(backend, 'en');
      await until('the buttons', () => rootOf(widget).querySelector('[part=actions]'));
      findButton(widget, /^Pay again$/).click();
      await until('the question', () => headingOf(widget).startsWith('Have you'));
      backend.setCheckout(makeEndedCheckout('paid'));
      void widget.refresh();
      await until('paid', () => headingOf(widget) === 'Payment received');
    });
});
