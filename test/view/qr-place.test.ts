// In a file of its own: the encoder of the page must not be loaded yet.
import { assert } from '@open-wc/testing';
import { links, pending, sbp } from '../../demo/gallery-checkouts.ts';
import { transportOf } from '../../demo/gallery-states.ts';
import { loadedQrEncoder } from '../../src/view/qr/load-qr-encoder.ts';
import { all, mount, rootOf, stateNamed, textOf, until } from './render-widget.ts';

interface Change {
  readonly drawn: boolean;
  readonly height: number;
}

/** Whether the QR is drawn, and the widget's height, at each change since the QR has its place. */
function watchQr(widget: HTMLElement): readonly Change[] {
  const changes: Change[] = [];
  new MutationObserver(() => {
    if (!rootOf(widget).querySelector('.qr')) return;
    const drawn = rootOf(widget).querySelector('[part=qr]') !== null;
    changes.push({ drawn, height: widget.getBoundingClientRect().height });
  }).observe(rootOf(widget), { childList: true, subtree: true });
  return changes;
}

it('the place of a QR is kept free until its encoder is loaded, so that nothing moves, both for a first QR and for one on request', async () => {
  const onRequest = await mount(transportOf(stateNamed('loading')));
  onRequest.initial = pending({ ...sbp, payment_url: links.payment_url });
  const button = (): HTMLElement | undefined =>
    all(onRequest, 'button').find((one) => textOf(one) === 'Продолжить на телефоне');
  await until('the button', button);
  const atOnce = await mount(transportOf(stateNamed('loading')));
  assert.isUndefined(loadedQrEncoder());
  const [changes, changesAtOnce] = [watchQr(onRequest), watchQr(atOnce)];
  button()?.click();
  atOnce.initial = pending({ ...sbp, ...links });
  for (const seen of [changes, changesAtOnce]) {
    await until('the QR', () => seen.at(-1)?.drawn);
    assert.isFalse(seen[0]?.drawn);
    assert.lengthOf(new Set(seen.map(({ height }) => height)), 1);
  }
});
