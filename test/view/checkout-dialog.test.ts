import { assert } from '@open-wc/testing';
import { ended } from '../../demo/gallery-checkouts.ts';
import { openCheckout } from '../../src/dialog.ts';
import { Backend } from './changeable-backend.ts';
import { rootOf, textOf, until } from './render-widget.ts';

function dialog(): HTMLDialogElement | undefined {
  return [...document.body.children]
    .map((child) => child.shadowRoot?.querySelector('dialog'))
    .find((found) => found instanceof HTMLDialogElement);
}

async function opened(): Promise<HTMLDialogElement> {
  await until('a dialog', () => dialog()?.open === true);
  const found = dialog();
  if (found === undefined) throw new Error('no dialog');
  return found;
}

describe('openCheckout', () => {
  it('shows the checkout in a modal dialog, resolves with its outcome, and leaves nothing behind', async () => {
    const transport = new Backend();
    const outcome = openCheckout({ checkout: 'chk_1', lang: 'en', transport });
    const shown = await opened();
    assert.isTrue(shown.matches(':modal'));
    await until('the name of the button', () => textOf(shown.querySelector('button')) === 'Close');
    assert.equal(shown.getAttribute('aria-label'), 'Payment');
    const widget = shown.querySelector('pay-invoice');
    if (widget === null) throw new Error('no widget');
    await until('options', () => widget.state.status === 'choosing');
    transport.setCheckout(ended('paid'));
    await widget.refresh();
    await until('paid', () => textOf(rootOf(widget).querySelector('[part=base]')).includes('Paid'));
    shown.querySelector('button')?.click();
    assert.equal((await outcome).status, 'paid');
    assert.isUndefined(dialog());
    assert.equal(transport.waiting, 0);
  });

  it('is on the page at once, and does not wait for a file of its language', () => {
    const controller = new AbortController();
    void openCheckout({ checkout: 'chk_1', lang: 'en', transport: new Backend(), signal: controller.signal });
    assert.isTrue(dialog()?.open);
    controller.abort();
  });

  it('returns the focus to where it was', async () => {
    const opener = document.body.appendChild(document.createElement('button'));
    opener.focus();
    const outcome = openCheckout({ checkout: 'chk_1', lang: 'en', transport: new Backend() });
    const shown = await opened();
    assert.notEqual(document.activeElement, opener);
    shown.querySelector('button')?.click();
    await outcome;
    assert.equal(document.activeElement, opener);
    opener.remove();
  });

  it('keeps the invoice when it is closed: opened again, it shows the same', async () => {
    const transport = new Backend();
    const first = openCheckout({ checkout: 'chk_1', lang: 'en', transport });
    const shown = await opened();
    const proceed = await until('options', () =>
      shown.querySelector('pay-invoice')?.shadowRoot?.querySelector<HTMLElement>('[part=continue]:enabled'),
    );
    proceed.click();
    await until('requisites', () => shown.querySelector('pay-invoice')?.state.status === 'waiting');
    shown.querySelector('button')?.click();
    const { checkout } = await first;

    const second = openCheckout({ checkout: 'chk_1', lang: 'en', transport });
    const again = await opened();
    await until('requisites', () => again.querySelector('pay-invoice')?.state.status === 'waiting');
    again.querySelector('button')?.click();
    assert.equal(checkout?.invoice?.id, 'inv_7Q2MZK4D');
    assert.deepEqual((await second).checkout, checkout);
  });

  it('closes when its signal is aborted, also before it opened, and resolves with what was known', async () => {
    const controller = new AbortController();
    const outcome = openCheckout({ checkout: 'chk_1', transport: new Backend(), signal: controller.signal });
    await opened();
    controller.abort();
    await outcome;
    const never = openCheckout({ checkout: 'chk_1', transport: new Backend(), signal: AbortSignal.abort() });
    assert.deepEqual(await never, { status: undefined, checkout: undefined });
  });
});
