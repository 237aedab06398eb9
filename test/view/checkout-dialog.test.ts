import { assert } from '@open-wc/testing';
import { makeEndedCheckout } from '../../demo/gallery-checkouts.ts';
import { kk } from '../../src/locales/kk.ts';
import { openCheckout } from '../../src/dialog.ts';
import { Backend } from './changeable-backend.ts';
import { findDialog, findWidget, waitForOpenDialog } from './open-dialog.ts';
import { rootOf, textOf, until } from './widget-from-source.ts';

/** The reason with which a promise is rejected. */
const reasonOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );

/** Whether the page scrolls, can be clicked, and has nothing of a dialog. */
const isPageFree = (): boolean =>
  getComputedStyle(document.documentElement).overflow === 'visible' &&
  document.elementFromPoint(5, 5) !== null &&
  document.querySelector(':modal, .pay-invoice-dialog') === null &&
  findDialog() === undefined;

describe('openCheckout', () => {
  it('shows the checkout in a modal dialog, resolves with its outcome, and leaves nothing behind', async () => {
    const transport = new Backend();
    const outcome = openCheckout({ checkout: 'chk_1', lang: 'en', transport });
    const dialog = await waitForOpenDialog();
    assert.isTrue(dialog.matches(':modal'));
    await until('the name of the button', () => dialog.querySelector('button')?.getAttribute('aria-label') === 'Close');
    assert.equal(dialog.getAttribute('aria-label'), 'Payment');
    const widget = findWidget();
    if (widget === null) throw new Error('no widget');
    await until('options', () => widget.state.status === 'choosing');
    transport.setCheckout(makeEndedCheckout('paid'));
    await widget.refresh();
    await until('paid', () => textOf(rootOf(widget).querySelector('[part=base]')).includes('Paid'));
    dialog.querySelector('button')?.click();
    assert.equal((await outcome).status, 'paid');
    assert.isUndefined(findDialog());
    assert.equal(transport.heldLongPolls, 0);
  });

  it('opens the dialog synchronously, without waiting for a file of its language', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const outcome = openCheckout({ checkout: 'chk_1', lang: 'en', transport: new Backend(), signal });
    assert.isTrue(findDialog()?.open);
    controller.abort();
    await outcome;
  });

  it('shows the tag where the styles, the parts and the slots of the page reach it', async () => {
    const style = document.head.appendChild(document.createElement('style'));
    style.textContent = `pay-invoice { --pay-invoice-accent: rgb(1, 2, 3) } pay-invoice::part(continue) { letter-spacing: 3px }
      .pay-invoice-dialog::part(close) { letter-spacing: 4px }`;
    const outcome = openCheckout({ checkout: 'chk_1', lang: 'en', transport: new Backend() });
    const footer = Object.assign(document.createElement('p'), { slot: 'footer', textContent: 'Terms of the shop' });
    findWidget()?.append(footer);
    const dialog = await waitForOpenDialog();
    const button = await until('options', () =>
      findWidget()?.shadowRoot?.querySelector<HTMLElement>('[part=continue]:enabled'),
    );
    assert.equal(getComputedStyle(button).backgroundColor, 'rgb(1, 2, 3)');
    assert.equal(getComputedStyle(button).letterSpacing, '3px');
    assert.isAbove(footer.getBoundingClientRect().height, 0);
    const closeButton = dialog.querySelector('button');
    if (closeButton === null) throw new Error('no button');
    assert.equal(getComputedStyle(closeButton).letterSpacing, '4px');
    closeButton.click();
    await outcome;
    assert.isNull(findWidget());
    style.remove();
  });

  it('returns the focus to the element that had it before', async () => {
    const opener = document.body.appendChild(document.createElement('button'));
    opener.focus();
    const outcome = openCheckout({ checkout: 'chk_1', lang: 'en', transport: new Backend() });
    const dialog = await waitForOpenDialog();
    assert.isFalse(document.activeElement === opener);
    dialog.querySelector('button')?.click();
    await outcome;
    assert.isTrue(document.activeElement === opener);
    opener.remove();
  });

  it('shows the same invoice when the dialog is closed and opened a second time', async () => {
    const transport = new Backend();
    const firstOutcome = openCheckout({ checkout: 'chk_1', lang: 'en', transport });
    const dialog = await waitForOpenDialog();
    const continueButton = await until('options', () =>
      findWidget()?.shadowRoot?.querySelector<HTMLElement>('[part=continue]:enabled'),
    );
    continueButton.click();
    await until('requisites', () => findWidget()?.state.status === 'waiting');
    dialog.querySelector('button')?.click();
    const { checkout } = await firstOutcome;

    const secondOutcome = openCheckout({ checkout: 'chk_1', lang: 'en', transport });
    const secondDialog = await waitForOpenDialog();
    await until('requisites', () => findWidget()?.state.status === 'waiting');
    secondDialog.querySelector('button')?.click();
    assert.equal(checkout?.invoice?.id, 'inv_7Q2MZK4D');
    assert.deepEqual((await secondOutcome).checkout, checkout);
  });

  it('closes the dialog when its signal is aborted, and opens none when the signal is already aborted', async () => {
    const controller = new AbortController();
    const outcome = openCheckout({ checkout: 'chk_1', transport: new Backend(), signal: controller.signal });
    await waitForOpenDialog();
    controller.abort();
    await outcome;
    const outcomeWithoutDialog = openCheckout({
      checkout: 'chk_1',
      transport: new Backend(),
      signal: AbortSignal.abort(),
    });
    assert.deepEqual(await outcomeWithoutDialog, { status: undefined, checkout: undefined });
  });

  for (const [thing, remove] of Object.entries({
    'the dialog': () => document.querySelector('.pay-invoice-dialog')?.remove(),
    'its tag': () => findWidget()?.remove(),
    'all that is in its body': () => document.body.replaceChildren(),
    'the native dialog': () => findDialog()?.remove(),
    'the native dialog from its place': () => document.body.append(findDialog() ?? assert.fail()),
    'the open state of the native dialog': () => findDialog()?.removeAttribute('open'),
    'nothing, but closes the native dialog': () => findDialog()?.close(),
    'the native dialog with all that is beside it': () => findDialog()?.parentNode?.replaceChildren(),
  }))
    it(`resolves and leaves nothing behind when the page removes ${thing}`, async () => {
      const transport = new Backend();
      const outcome = openCheckout({ checkout: 'chk_1', lang: 'en', transport });
      await until('options', () => findWidget()?.state.status === 'choosing');
      remove();
      assert.equal((await outcome).status, 'open');
      assert.isUndefined(findDialog());
      assert.equal(getComputedStyle(document.documentElement).overflow, 'visible');
      assert.equal(transport.heldLongPolls, 0);
      assert.isTrue(isPageFree());
    });

  for (const [thing, hide] of Object.entries({
    'its tag’s parent': () => document.querySelector('.pay-invoice-dialog')?.setAttribute('hidden', ''),
    'the native dialog': () => findDialog()?.style.setProperty('display', 'none', 'important'),
    'all that is in its body': () => document.body.style.setProperty('display', 'none'),
  }))
    for (const isOpen of [true, false])
      it(`resolves and frees the page when the page hides ${thing}${isOpen ? '' : ' before it is painted'}`, async () => {
        const outcome = openCheckout({ checkout: 'chk_1', lang: 'en', transport: new Backend() });
        if (isOpen) await until('options', () => findWidget()?.state.status === 'choosing');
        hide();
        await outcome;
        document.body.style.removeProperty('display');
        assert.isTrue(isPageFree());
      });

  it('is seen where the page makes all around it invisible, so that the payer can close it', async () => {
    document.body.style.setProperty('visibility', 'hidden');
    const outcome = openCheckout({ checkout: 'chk_1', lang: 'en', transport: new Backend() });
    await until('options', () => findWidget()?.state.status === 'choosing');
    assert.isTrue(findWidget()?.checkVisibility({ visibilityProperty: true }));
    findDialog()?.close();
    await outcome;
    document.body.style.removeProperty('visibility');
  });

  for (const [signal, value] of Object.entries({
    'a controller': new AbortController(),
    'a text': 'abort',
    'an object that only adds listeners': { addEventListener: () => undefined },
    'an object whose listeners throw': {
      addEventListener: () => {
        throw new Error('the page');
      },
    },
  }))
    it(`rejects ${signal} in place of a signal, and leaves nothing behind`, async () => {
      const options = { checkout: 'chk_1', transport: new Backend() };
      Reflect.set(options, 'signal', value);
      assert.match(String(await reasonOf(openCheckout(options))), /signal: must be an AbortSignal/);
      assert.isTrue(isPageFree());
    });

  for (const [object, name] of [
    [HTMLDialogElement.prototype, 'showModal'],
    [CSSStyleSheet.prototype, 'replaceSync'],
    [EventTarget.prototype, 'addEventListener'],
  ] as const)
    it(`leaves nothing behind when the page has broken ${name}`, async () => {
      const original: unknown = Reflect.get(object, name);
      Reflect.set(object, name, () => {
        throw new Error('the page');
      });
      const outcome = reasonOf(openCheckout({ checkout: 'chk_1', transport: new Backend() }));
      Reflect.set(object, name, original);
      assert.include(String(await outcome), 'the page');
      assert.isTrue(isPageFree());
    });

  for (const [wrong, message] of [
    [{ chekout: 'chk_1' }, 'chekout: is unknown'],
    [{ checkout: 'chk_1', phoneURL: '/pay' }, 'phoneURL: is unknown: did you mean phoneUrl?'],
    [{ checkout: 'chk_1', language: 'ru', onPaid: () => undefined }, 'language: is unknown; onPaid: is unknown'],
    [null, 'options: must be an object'],
    ['chk_1', 'options: must be an object'],
  ] as const)
    it(`rejects options with the reason "${message}"`, async () => {
      const open: (options: never) => Promise<unknown> = openCheckout;
      const reason = await reasonOf(open(wrong as never));
      assert.include(reason, { name: 'CheckoutOptionsError', code: 'invalid_options', message });
      assert.isTrue(isPageFree());
    });

  for (const lang of ['', 'по-русски', undefined])
    it(`is in the language of the page where its own is ${JSON.stringify(lang)}`, async () => {
      document.body.lang = 'kk';
      const controller = new AbortController();
      const { signal } = controller;
      const outcome = openCheckout({ checkout: 'chk_1', lang, transport: new Backend(), signal });
      const dialog = await waitForOpenDialog();
      await until(
        'its button',
        () => dialog.querySelector('button')?.getAttribute('aria-label') === kk['dialog.close'],
      );
      assert.equal(dialog.lang, 'kk');
      controller.abort();
      await outcome;
      document.body.removeAttribute('lang');
    });

  it('keeps the page from scrolling until the last dialog is closed', async () => {
    const { style } = document.documentElement;
    style.overflow = 'scroll';
    const [first, second] = [new AbortController(), new AbortController()];
    const outcomes = [first, second].map(({ signal }) =>
      openCheckout({ checkout: 'chk_1', lang: 'en', transport: new Backend(), signal }),
    );
    first.abort();
    await outcomes[0];
    assert.equal(getComputedStyle(document.documentElement).overflow, 'hidden');
    second.abort();
    await outcomes[1];
    assert.equal(getComputedStyle(document.documentElement).overflow, 'scroll');
    style.overflow = '';
  });

  it('lets a page scroll that restores the style sheets which it saved while the dialog was open', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const outcome = openCheckout({ checkout: 'chk_1', lang: 'en', transport: new Backend(), signal });
    const saved = [...document.adoptedStyleSheets];
    controller.abort();
    await outcome;
    const now = document.adoptedStyleSheets;
    document.adoptedStyleSheets = saved;
    assert.equal(getComputedStyle(document.documentElement).overflow, 'visible');
    document.adoptedStyleSheets = now;
  });
});
