// This test has a file of its own, because the page must not have loaded the encoder before it.
import { assert } from '@open-wc/testing';
import { links, makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import { transportOf } from '../../demo/gallery-states.ts';
import { loadedQrEncoder } from '../../src/view/controllers/encoded-qr.ts';
import { mount, stateNamed, until } from './widget-from-source.ts';
import { findPhoneButton, watchQr } from './watch-qr.ts';

it('the place of a QR is kept free until its encoder is loaded, so that nothing moves, both for a QR that is shown first and for a QR on request', async () => {
  const widgetWithButton = await mount(transportOf(stateNamed('loading')));
  widgetWithButton.initial = makePendingCheckout({ ...sbp, payment_url: links.payment_url });
  const button = await until('the button', () => findPhoneButton(widgetWithButton));
  const widgetWithQr = await mount(transportOf(stateNamed('loading')));
  assert.isUndefined(loadedQrEncoder());
  const changesOfWidgets = [watchQr(widgetWithButton), watchQr(widgetWithQr)];
  button.click();
  widgetWithQr.initial = makePendingCheckout({ ...sbp, ...links });
  for (const changes of changesOfWidgets) {
    await until('the QR', () => changes.at(-1)?.isDrawn);
    assert.isFalse(changes[0]?.isDrawn);
    assert.lengthOf(new Set(changes.map(({ height }) => height)), 1);
  }
});
