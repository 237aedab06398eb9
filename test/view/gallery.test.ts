// Checks of every state of the gallery: one sweep for each width, which reports each state that fails by its name.
import { assert } from '@open-wc/testing';
import { executeServerCommand } from '@web/test-runner-commands';
import axe from 'axe-core';
import { states } from '../../demo/gallery-states.ts';
import { describeElements, overflowing, smallTargets, truncated } from './layout-defects.ts';
import { all, find, mountState, rootOf, sweep, until } from './render-widget.ts';

const sweepTimeoutMs = 600_000;
const setViewport = (width: number): Promise<unknown> => executeServerCommand('viewport', { width, height: 800 });

/** The violations that axe finds in some elements, and the texts whose contrast it cannot determine. */
async function runAxe(elements: readonly Element[]): Promise<{ violations: string[]; unclear: string[] }> {
  const { violations, incomplete } = await axe.run(
    { include: [...elements] },
    {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
      rules: { 'target-size': { enabled: true } },
      resultTypes: ['violations', 'incomplete'],
    },
  );
  const describeAll = (results: typeof violations): string[] =>
    results.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any, target }) => [id, target, html, ...any.map(({ message }) => message)].join(' ')),
    );
  return {
    violations: describeAll(violations),
    unclear: describeAll(incomplete.filter(({ id }) => id === 'color-contrast')),
  };
}

/** The violations of some widgets. Where axe cannot determine a contrast beside other widgets, each is checked alone. */
async function violationsOf(widgets: readonly HTMLElement[]): Promise<string[]> {
  const { violations, unclear } = await runAxe(widgets);
  if (unclear.length === 0) return violations;
  for (const widget of widgets) {
    for (const other of widgets) other.hidden = other !== widget;
    const alone = await runAxe([widget]);
    violations.push(...alone.violations, ...alone.unclear);
  }
  return violations;
}

describe('axe', () => {
  for (const width of [320, 768, 1280])
    it(`finds no violation in any state at ${width} px, light and dark, ru and en`, async () => {
      await setViewport(width);
      await sweep(Object.keys(states), async (name) => {
        const widgets = ['ru', 'en'].flatMap((lang) =>
          (['light', 'dark'] as const).map((theme) => mountState(name, lang, theme)),
        );
        return violationsOf(await Promise.all(widgets));
      });
    }).timeout(sweepTimeoutMs);

  const mistakes: Readonly<Record<string, (widget: HTMLElement) => void>> = {
    'color-contrast': (widget) => widget.style.setProperty('--pay-invoice-muted', '#999'),
    'svg-img-alt': (widget) => find(widget, '[part=qr]', SVGElement).removeAttribute('aria-label'),
  };
  for (const [rule, makeMistake] of Object.entries(mistakes))
    it(`finds a violation of ${rule} where there is one`, async () => {
      const widget = await mountState('qr-sbp');
      assert.deepEqual(await violationsOf([widget]), []);
      makeMistake(widget);
      assert.include((await violationsOf([widget])).join('\n'), rule);
    });

  after(() => setViewport(800));
});

describe('the layout', () => {
  afterEach(() => document.documentElement.style.removeProperty('font-size'));

  it('contains no inline style, image or script in any state', () =>
    sweep(Object.keys(states), async (name) =>
      describeElements('found', all(await mountState(name), '[style], img:not([part=qr]), script')),
    )).timeout(sweepTimeoutMs);

  it('fits into 288 px without sideways scrolling, with targets of 44 px, in any state', () =>
    sweep(
      Object.keys(states).filter((name) => name !== 'long'),
      async (name) => {
        const widget = await mountState(name);
        widget.style.inlineSize = '288px';
        await widget.updateComplete;
        return [
          ...describeElements('overflows', overflowing(widget)),
          ...describeElements('small target', smallTargets(widget, 44)),
        ];
      },
    )).timeout(sweepTimeoutMs);

  // `page` is the root font size, which enlarges everything in `rem`. `own` is the widget's font size, for its text alone.
  for (const { page, own, width, mayHide } of [
    { page: '200%', own: '1rem', width: 320, mayHide: '' },
    { page: '400%', own: '1rem', width: 1280, mayHide: '' },
    { page: '100%', own: '4rem', width: 320, mayHide: ', .clamp' },
  ])
    it(`fits into ${width} px with text of ${page} of ${own}, and truncates none, in any state`, () =>
      sweep(Object.keys(states), async (name) => {
        document.documentElement.style.fontSize = page;
        const widget = await mountState(name);
        widget.style.inlineSize = `${width}px`;
        widget.style.setProperty('--pay-invoice-font-size', own);
        await widget.updateComplete;
        if (rootOf(widget).querySelector('.qr')) await until('the QR', () => rootOf(widget).querySelector('[part=qr]'));
        // The overlong texts of the `hostile` states are truncated.
        const hidden = name.startsWith('hostile') ? [] : truncated(widget, mayHide);
        return [...describeElements('overflows', overflowing(widget)), ...describeElements('truncated', hidden)];
      })).timeout(sweepTimeoutMs);
});
