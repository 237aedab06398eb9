import { assert } from '@open-wc/testing';
import { makePendingCheckout, sbp } from '../../demo/gallery-checkouts.ts';
import { executeServerCommand } from '@web/test-runner-commands';
import { transportOf } from '../../demo/gallery-states.ts';
import { Backend } from './changeable-backend.ts';
import { find, mount, rootOf, stateNamed, until } from './widget-from-source.ts';

const place = (element: Element): DOMRect => element.getBoundingClientRect();

describe('the header', () => {
  it('has the place of a logo before its picture has come', async () => {
    const widget = await mount(new Backend());
    const logo = Object.assign(document.createElement('img'), { slot: 'logo', alt: '' });
    widget.append(logo);
    const amount = find(widget, '[part=amount]', HTMLElement);
    const top = place(amount).top;
    const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="60"/>';
    logo.src = `data:image/svg+xml,${encodeURIComponent(picture)}`;
    await logo.decode();
    assert.isAbove(place(logo).width, 0);
    assert.equal(place(amount).top, top);
  });

  it('has the remaining time at its right edge, and begins it at the same place, whether the minutes have one digit or two', async () => {
    const places: string[] = [];
    for (const expires_in_ms of [754_000, 554_000]) {
      const widget = await mount(new Backend(makePendingCheckout({ ...sbp, expires_in_ms })), 'en');
      const timer = find(widget, '[part=timer]', HTMLElement);
      const text = document.createRange();
      text.selectNodeContents(timer);
      const { left, right } = text.getBoundingClientRect();
      assert.closeTo(right, place(find(widget, '.time', HTMLElement)).right, 0.5);
      places.push(left.toFixed());
      widget.remove();
    }
    assert.lengthOf(new Set(places), 1, places.join());
  });

  for (const width of [390, 1280])
    it(`keeps the place of the amount, and that of the screen below it, when it turns out to be a test, at ${width} px`, async () => {
      await executeServerCommand('viewport', { width, height: 800 });
      const widget = await mount(transportOf(stateNamed('loading')));
      widget.append(Object.assign(document.createElement('span'), { slot: 'logo', textContent: 'Leaf' }));
      const readPlaces = (): number[] =>
        ['.money', '.screen'].map((selector) => place(find(widget, selector, HTMLElement)).top);
      const places = readPlaces();
      widget.transport = transportOf(stateNamed('test'));
      await until('the methods', () => rootOf(widget).querySelector('[part=methods]'));
      assert.isNotNull(rootOf(widget).querySelector('[part=badge]'));
      assert.deepEqual(readPlaces(), places);
      await executeServerCommand('viewport', { width: 800, height: 600 });
    });
});
