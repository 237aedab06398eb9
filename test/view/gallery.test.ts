// Checks of every state of the gallery, with the widget as it is built: each test visits all states and reports the names of those
// that fail.
import { executeServerCommand } from '@web/test-runner-commands';
import { assert } from '@open-wc/testing';
import axe from 'axe-core';
import { states, type GalleryState } from '../../demo/gallery-states.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import { CheckoutError } from '../../src/core.ts';
import {
  describeElements,
  findBrokenWords,
  findOverflowingElements,
  findSmallTargets,
  findSmallTexts,
  findTruncatedElements,
} from './layout-defects.ts';
import { loadBuiltWidget } from '../support/load-built-widget.ts';
import { expectNoFindings, find, findAll, mountState, rootOf, until } from './mount-widget.ts';

await loadBuiltWidget('/dist/cdn/');

const timeoutMs = 600_000;
const setViewport = (width: number, height = 800): Promise<unknown> =>
  executeServerCommand('viewport', { width, height });

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
    // In Firefox and WebKit, axe cannot find the box of a sign that turns the direction. Other texts have the same colours.
    unclear: describeAll(incomplete.filter(({ id }) => id === 'color-contrast')).filter(
      (text) => !text.includes('\u202e'),
    ),
  };
}

/** The violations of some widgets. Where axe cannot determine a contrast beside other widgets, each widget is checked alone. */
async function violationsOf(widgets: readonly HTMLElement[]): Promise<string[]> {
  // A screen that fades in has no contrast yet.
  for (const animation of widgets.flatMap((widget) => rootOf(widget).getAnimations())) animation.cancel();
  const { violations, unclear } = await runAxe(widgets);
  if (unclear.length === 0) return violations;
  for (const widget of widgets) {
    for (const eachWidget of widgets) eachWidget.hidden = eachWidget !== widget;
    const results = await runAxe([widget]);
    violations.push(...results.violations, ...results.unclear);
  }
  return violations;
}

describe('axe', () => {
  for (const width of [320, 768, 1280])
    it(`finds no violation in any state at ${width} px, in both themes and in two languages`, async () => {
      // In a low window the status covers nothing; axe judges no contrast of what is covered.
      await setViewport(width, 400);
      await expectNoFindings(Object.keys(states), async (name) => {
        const widgets = ['ru', 'en'].flatMap((lang) =>
          (['light', 'dark'] as const).map((theme) => mountState(name, lang, theme)),
        );
        return violationsOf(await Promise.all(widgets));
      });
    }).timeout(timeoutMs);

  after(() => setViewport(800));
});

describe('the layout', () => {
  afterEach(() => document.documentElement.style.removeProperty('font-size'));

  it('contains no inline style, image or script in any state', () =>
    expectNoFindings(Object.keys(states), async (name) =>
      describeElements('found', findAll(await mountState(name), '[style], img:not([part=qr]), script')),
    )).timeout(timeoutMs);

  it('has targets of 44 px from a font size of 15 px on, in any state', () =>
    expectNoFindings(Object.keys(states), async (name) => {
      const widget = await mountState(name);
      widget.style.fontSize = '15px';
      return describeElements('small target', findSmallTargets(widget, 44));
    })).timeout(timeoutMs);

  it('fits into 288 px without sideways scrolling, with targets of 44 px, in any state', () =>
    expectNoFindings(
      Object.keys(states).filter((name) => name !== 'long'),
      async (name) => {
        const widget = await mountState(name);
        widget.style.inlineSize = '288px';
        await widget.updateComplete;
        return [
          ...describeElements('overflows', findOverflowingElements(widget)),
          ...describeElements('small target', findSmallTargets(widget, 44)),
        ];
      },
    )).timeout(timeoutMs);

  /** Where the tests run, the font of Firefox and WebKit is so wide that some words are wider than the line. */
  const mayBreakWords = !navigator.userAgent.includes('Chrome/');
  for (const rootFontSize of ['62.5%', '20px'])
    it(`is the same with a root font of ${rootFontSize}, and all texts and targets are large enough, in any state`, () =>
      expectNoFindings(Object.keys(states), async (name) => {
        const widget = await mountState(name);
        const usualHeight = widget.getBoundingClientRect().height;
        document.documentElement.style.fontSize = rootFontSize;
        const { height } = widget.getBoundingClientRect();
        return [
          ...(Math.abs(height - usualHeight) > 1 ? [`${height} px instead of ${usualHeight} px`] : []),
          ...describeElements('small text', findSmallTexts(widget, 14)),
          ...describeElements('small target', findSmallTargets(widget, 44)),
        ];
      })).timeout(timeoutMs);

  it('grows with the font size of the element', async () => {
    const widget = await mountState('options');
    const heightOf = (selector: string): number => find(widget, selector, Element).getBoundingClientRect().height;
    const parts = ['[part=continue]', '[part=method]', '[type=radio]', 'h2', '.icon'];
    const usual = parts.map(heightOf);
    widget.style.fontSize = '20px';
    parts.forEach((part, index) => {
      const expected = (usual[index] ?? NaN) * 1.25;
      // WebKit rounds the height of each line.
      assert.closeTo(heightOf(part), expected, Math.max(1, expected * 0.02), part);
    });
  });

  for (const { fontSize, width, moreTruncatable } of [
    { fontSize: '32px', width: 320, moreTruncatable: '' },
    { fontSize: '64px', width: 1280, moreTruncatable: '' },
    { fontSize: '64px', width: 320, moreTruncatable: ', .clamp' },
  ])
    it(`fits into ${width} px with a font of ${fontSize}, and truncates no text, in any state`, () =>
      expectNoFindings(Object.keys(states), async (name) => {
        const widget = await mountState(name);
        widget.style.inlineSize = `${width}px`;
        widget.style.fontSize = fontSize;
        await widget.updateComplete;
        if (rootOf(widget).querySelector('.qr')) await until('the QR', () => rootOf(widget).querySelector('[part=qr]'));
        // The overlong texts of the `hostile` states are truncated.
        const truncatedElements = name.startsWith('hostile') ? [] : findTruncatedElements(widget, moreTruncatable);
        return [
          ...describeElements('overflows', findOverflowingElements(widget)),
          ...describeElements('truncated', truncatedElements),
          ...(mayBreakWords || name.startsWith('hostile') || moreTruncatable ? [] : findBrokenWords(widget)),
        ];
      })).timeout(timeoutMs);
});

describe('the texts', () => {
  const links = { payment_url: 'https://127.0.0.1:8081/i/1', nspk_url: 'https://127.0.0.1:8081/qr/1' };
  /** The checkout of a shop that gives its orders no number, with links to a host and a port. */
  const withoutNumber = (checkout: Checkout): Checkout => {
    const { invoice } = checkout;
    const replaced = { ...(invoice?.payment_url && links), ...(invoice?.nspk_url && links) };
    return { ...checkout, reference: null, description: null, invoice: invoice && { ...invoice, ...replaced } };
  };
  const changed = <T extends Checkout | CheckoutError | undefined>(answer: T): T | Checkout =>
    answer === undefined || answer instanceof CheckoutError ? answer : withoutNumber(answer);
  const change = (state: GalleryState): GalleryState => ({
    ...state,
    answer: changed(state.answer),
    ...(state.created && { created: changed(state.created) }),
    ...(state.laterAnswer && { laterAnswer: withoutNumber(state.laterAnswer) }),
  });
  /** All that is shown, and all that a screen reader hears. */
  const textsOf = (widget: HTMLElement): string[] => [
    ...findAll(widget, '[part=base] :not([hidden])').flatMap(({ childNodes }) =>
      [...childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE).map(({ nodeValue }) => nodeValue ?? ''),
    ),
    ...findAll(widget, '[aria-label], [title], [alt]').flatMap((one) =>
      ['aria-label', 'title', 'alt'].map((name) => one.getAttribute(name) ?? ''),
    ),
  ];

  it('have no host and no internal id in any state but the payment’s number in its receipt, also where the order has no number', async () => {
    let linkCount = 0;
    await expectNoFindings(Object.keys(states), async (name) => {
      const widget = await mountState(name, 'en', 'light', change);
      linkCount += findAll(widget, 'a[href^="https://127.0.0.1:8081/"]').length;
      const texts = textsOf(widget);
      assert.isAbove(texts.join('').length, 10, 'the screen has no text');
      const label = texts.indexOf('Payment number');
      if (label >= 0)
        texts.splice(
          texts.findIndex((text, index) => index > label && text.trim() !== ''),
          1,
        );
      return texts.filter((text) => /127\.0\.0\.1|\w:\d{4}|\b(?:att|inv|chk|pm)_/.test(text));
    });
    assert.isAbove(linkCount, 5, 'links to a host and a port');
  }).timeout(timeoutMs);
});
