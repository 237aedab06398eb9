import { assert } from '@open-wc/testing';
import { executeServerCommand } from '@web/test-runner-commands';
import axe from 'axe-core';
import { states } from '../../demo/gallery-states.ts';
import { find, mountState } from './support.ts';

const setViewport = (width: number): Promise<unknown> => executeServerCommand('viewport', { width, height: 800 });

/** What axe has against some elements, and of which texts it cannot tell the contrast. */
async function look(elements: readonly Element[]): Promise<{ faults: string[]; doubts: string[] }> {
  const { violations, incomplete } = await axe.run(
    { include: [...elements] },
    {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
      rules: { 'target-size': { enabled: true } },
      resultTypes: ['violations', 'incomplete'],
    },
  );
  const tell = (results: typeof violations): string[] =>
    results.flatMap(({ id, nodes }) =>
      nodes.map(({ html, any, target }) => [id, target, html, ...any.map(({ message }) => message)].join(' ')),
    );
  return {
    faults: tell(violations),
    doubts: tell(incomplete.filter(({ id }) => id === 'color-contrast')),
  };
}

/** The faults of some widgets; where axe is in doubt because there are several, it looks at each alone. */
async function faultsOf(widgets: readonly HTMLElement[]): Promise<string[]> {
  const { faults, doubts } = await look(widgets);
  if (doubts.length === 0) return faults;
  for (const widget of widgets) {
    for (const other of widgets) other.hidden = other !== widget;
    const alone = await look([widget]);
    faults.push(...alone.faults, ...alone.doubts);
  }
  return faults;
}

const languages = ['ru', 'en'];
const themes = ['light', 'dark'] as const;

describe('axe', () => {
  for (const width of [320, 768, 1280])
    for (const name of Object.keys(states))
      it(`finds nothing in ${name} at ${width} px, light and dark, ru and en`, async () => {
        await setViewport(width);
        const widgets = languages.flatMap((lang) => themes.map((theme) => mountState(name, lang, theme)));
        assert.deepEqual(await faultsOf(await Promise.all(widgets)), []);
      });

  const mistakes: Readonly<Record<string, (widget: HTMLElement) => void>> = {
    'color-contrast': (widget) => widget.style.setProperty('--pay-invoice-muted', '#999'),
    'svg-img-alt': (widget) => find(widget, '[part=qr]', SVGElement).removeAttribute('aria-label'),
  };
  for (const [rule, mistake] of Object.entries(mistakes))
    it(`would find ${rule}`, async () => {
      const widget = await mountState('qr-sbp');
      assert.deepEqual(await faultsOf([widget]), []);
      mistake(widget);
      assert.include((await faultsOf([widget])).join('\n'), rule);
    });

  after(() => setViewport(800));
});
