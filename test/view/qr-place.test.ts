// This test has a file of its own, because the page must not have loaded the encoder before it.
import { assert } from '@open-wc/testing';
import { links, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import { transportOf } from '../../demo/gallery-states.ts';
import { loadedQrEncoder } from '../../src/view/controllers/qr.ts';
import { findAll, mount, rootOf, stateNamed, textOf, until } from './render-widget.ts';

interface Change {
  readonly isDrawn: boolean;
  readonly height: number;
}

/** Records the widget's height and whether the QR is drawn, at each change after the QR has got its place. */
function watchQr(widget: HTMLElement): readonly Change[] {
  const changes: Change[] = [];
  new MutationObserver(() => {
    if (!rootOf(widget).querySelector('.qr')) return;
    const isDrawn = rootOf(widget).querySelector('[part=qr]') !== null;
    changes.push({ isDrawn, height: widget.getBoundingClientRect().height });
  }).observe(rootOf(widget), { childList: true, subtree: true });
  return changes;
}

it('the place of a QR is kept free until its encoder is loaded, so that nothing moves, both for a QR that is shown first and for a QR on request', async () => {
  const widgetWithButton = await mount(transportOf(stateNamed('loading')));
  widgetWithButton.initial = makePendingCheckout({ ...sbp, payment_url: links.payment_url });
  const findPhoneButton = (): HTMLElement | undefined =>
    findAll(widgetWithButton, 'button').find((one) => textOf(one) === 'Продолжить на телефоне');
  await until('the button', findPhoneButton);
  const widgetWithQr = await mount(transportOf(stateNamed('loading')));
  assert.isUndefined(loadedQrEncoder());
  const changesOfWidgets = [watchQr(widgetWithButton), watchQr(widgetWithQr)];
  findPhoneButton()?.click();
  widgetWithQr.initial = makePendingCheckout({ ...sbp, ...links });
  for (const changes of changesOfWidgets) {
    await until('the QR', () => changes.at(-1)?.isDrawn);
    assert.isFalse(changes[0]?.isDrawn);
    assert.lengthOf(new Set(changes.map(({ height }) => height)), 1);
  }
});
