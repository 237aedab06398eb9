// Who comes back from his bank's app sees at once whether he has paid, and can ask: in every state that waits for money, on a
// phone and on a desktop, without scrolling.
import { executeServerCommand } from '@web/test-runner-commands';
import { assert } from '@open-wc/testing';
import { states } from '../../demo/gallery-states.ts';
import { loadBuiltWidget } from '../support/load-built-widget.ts';
import { expectNoFindings, find, mountState, rootOf } from './mount-widget.ts';

await loadBuiltWidget('/dist/cdn/');

const setViewport = (width: number, height: number): Promise<unknown> =>
  executeServerCommand('viewport', { width, height });

const isInView = (element: Element): boolean => {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= innerHeight;
};

describe('the status of a payment', () => {
  after(() => setViewport(800, 800));

  for (const [width, height] of [
    [390, 664],
    [1280, 900],
  ] as const)
    it(`is in view with its check at ${width} × ${height} px in every waiting state`, async () => {
      await setViewport(width, height);
      let waitingStates = 0;
      await expectNoFindings(Object.keys(states), async (name) => {
        const widget = await mountState(name);
        widget.scrollIntoView({ block: 'start' });
        if (rootOf(widget).querySelector('.status') === null) return [];
        waitingStates += 1;
        return ['.status', '.bar button'].filter((selector) => !isInView(find(widget, selector, Element)));
      });
      assert.isAbove(waitingStates, 10);
    }).timeout(600_000);

  it('scrolls with the page in a low window, which is for the screen', async () => {
    await setViewport(640, 320);
    const widget = await mountState('sbp');
    widget.scrollIntoView({ block: 'start' });
    assert.isFalse(isInView(find(widget, '.status', Element)));
  });
});
