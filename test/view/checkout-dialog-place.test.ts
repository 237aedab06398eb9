import { assert } from '@open-wc/testing';
import { executeServerCommand } from '@web/test-runner-commands';
import { makeEndedCheckout } from '../../demo/gallery-checkouts.ts';
import { CheckoutError, type CheckoutTransport } from '../../src/core.ts';
import { openCheckout } from '../../src/dialog.ts';
import { Backend } from './changeable-backend.ts';
import { findWidget, waitForOpenDialog } from './open-dialog.ts';
import { find, rootOf, until } from './widget-from-source.ts';

describe('the place of the dialog', () => {
  it('keeps what gets the focus below the button that stays at the top, on a screen of 320 × 256', async () => {
    await executeServerCommand('viewport', { width: 320, height: 256 });
    const controller = new AbortController();
    const { signal } = controller;
    const outcome = openCheckout({ checkout: 'chk_1', lang: 'en', transport: new Backend(), signal });
    const dialog = await waitForOpenDialog();
    const widget = findWidget();
    if (widget === null) throw new Error('no widget');
    await until('the button', () => rootOf(widget).querySelector('.main'));
    const radio = find(widget, 'input[type=radio]', HTMLInputElement);
    dialog.scrollBy(0, radio.getBoundingClientRect().top - 5); // now the button covers it
    radio.focus();
    const closeButton = dialog.querySelector('button');
    if (closeButton === null) throw new Error('no button');
    // WebKit scrolls to what has the focus in a later frame.
    const bottom = (): number => closeButton.getBoundingClientRect().bottom;
    await until('the radio button below it', () => radio.getBoundingClientRect().top >= bottom());
    controller.abort();
    await outcome;
    await executeServerCommand('viewport', { width: 800, height: 600 });
  });

  for (const [device, width, height] of [
    ['phone', 390, 664],
    ['desktop', 1280, 900],
  ] as const)
    it(`keeps the amount at its place from the options to the outcome, with the button beside it: on a ${device}`, async () => {
      await executeServerCommand('viewport', { width, height });
      let sendAnswer = (): void => undefined;
      const answer = new Promise<void>((resolve) => (sendAnswer = resolve));
      const backend = new Backend();
      const transport: CheckoutTransport = {
        read: (request, ended) => backend.read(request, ended),
        createInvoice: (request) => answer.then(() => backend.createInvoice(request)),
      };
      const controller = new AbortController();
      const { signal } = controller;
      const outcome = openCheckout({ checkout: 'chk_1', lang: 'en', transport, signal });
      const dialog = await waitForOpenDialog();
      const closeButton = dialog.querySelector('button');
      const widget = findWidget();
      if (widget === null || closeButton === null) throw new Error('no widget');
      await until('the end of the motion', () => dialog.getAnimations().length === 0);
      const tops: number[] = [];
      for (const [status, bring] of [
        ['choosing', () => undefined],
        ['creating', () => find(widget, '[part=continue]', HTMLElement).click()],
        ['waiting', () => sendAnswer()],
        ['paid', () => backend.setCheckout(makeEndedCheckout('paid'))],
      ] as const) {
        bring();
        await until(status, () => widget.state.status === status);
        await until(
          'the screen',
          () => rootOf(widget).querySelector('[part=continue]:enabled') ?? status !== 'choosing',
        );
        await widget.updateComplete;
        tops.push(find(widget, '[part=amount]', HTMLElement).getBoundingClientRect().top);
        if (status !== 'waiting') continue;
        const close = closeButton.getBoundingClientRect();
        const header = find(widget, '[part=header]', HTMLElement).getBoundingClientRect();
        assert.isTrue(close.top >= header.top && close.bottom <= header.bottom && close.right <= header.right);
        assert.isAtMost(find(widget, '[part=timer]', HTMLElement).getBoundingClientRect().right, close.left);
      }
      assert.lengthOf(new Set(tops), 1, tops.join());
      const { left, right, bottom } = dialog.getBoundingClientRect();
      if (device === 'phone') assert.deepEqual([left, right, bottom].map(Math.round), [0, innerWidth, innerHeight]);
      controller.abort();
      await outcome;
      await executeServerCommand('viewport', { width: 800, height: 600 });
    });

  it('covers nothing of a checkout that is not found, which has no header, on a phone', async () => {
    await executeServerCommand('viewport', { width: 320, height: 664 });
    const controller = new AbortController();
    const { signal } = controller;
    const transport: CheckoutTransport = {
      read: () => Promise.reject(new CheckoutError('not_found', '')),
      createInvoice: () => new Promise(() => undefined),
    };
    const outcome = openCheckout({ checkout: 'chk_1', lang: 'ru', transport, signal });
    const dialog = await waitForOpenDialog();
    const widget = findWidget();
    if (widget === null) throw new Error('no widget');
    await until('the screen', () => rootOf(widget).querySelector('[part=outcome] .mark'));
    await Promise.all(dialog.getAnimations().map(({ finished }) => finished)); // On a phone it rises.
    const close = (dialog.querySelector('button') ?? assert.fail('no button')).getBoundingClientRect();
    for (const element of rootOf(widget).querySelectorAll('[part=outcome] > *')) {
      const { top, right } = element.getBoundingClientRect();
      assert.isTrue(top >= close.bottom || right <= close.left, element.outerHTML);
    }
    controller.abort();
    await outcome;
    await executeServerCommand('viewport', { width: 800, height: 600 });
  });
});
