// In a file of its own: the encoder of the page must not be loaded yet.
import { assert } from '@open-wc/testing';
import { links, pending, sbp } from '../../demo/gallery-checkouts.ts';
import { transportOf } from '../../demo/gallery-states.ts';
import { loadedQrEncoder } from '../../src/view/qr/load-encoder.ts';
import { all, mount, rootOf, stateNamed, textOf, until } from './render-widget.ts';

interface Change {
  readonly drawn: boolean;
  readonly height: number;
}

/** What is seen of the QR and the widget's height at each change, from the moment that the QR has a place. */
function watchQr(widget: HTMLElement): readonly Change[] {
  const changes: Change[] = [];
  new MutationObserver(() => {
    if (!rootOf(widget).querySelector('.qr')) return;
    const drawn = rootOf(widget).querySelector('[part=qr]') !== null;
    changes.push({ drawn, height: widget.getBoundingClientRect().height });
  }).observe(rootOf(widget), { childList: true, subtree: true });
  return changes;
}

it('a QR has its place before its encoder is loaded, so that nothing moves: first, and when it is asked for', async () => {
  const asking = await mount(transportOf(stateNamed('loading')));
  asking.initial = pending({ ...sbp, payment_url: links.payment_url });
  const button = (): HTMLElement | undefined =>
    all(asking, 'button').find((one) => textOf(one) === 'Продолжить на телефоне');
  await until('the button', button);
  const other = await mount(transportOf(stateNamed('loading')));
  assert.isUndefined(loadedQrEncoder());
  const [changes, otherChanges] = [watchQr(asking), watchQr(other)];
  button()?.click();
  other.initial = pending({ ...sbp, ...links });
  for (const seen of [changes, otherChanges]) {
    await until('the QR', () => seen.at(-1)?.drawn);
    assert.isFalse(seen[0]?.drawn);
    assert.lengthOf(new Set(seen.map(({ height }) => height)), 1);
  }
});
