import { existsSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { HostPage } from './host-site.ts';

/** A page that is not made for the widget. The test of a row is a whole purchase on it. */
export interface HostPageRow extends HostPage {
  readonly name: string;
  /** Whether `npm test` runs the row. It needs only what `npm ci` installs. */
  readonly isQuick?: true;
  /** A file that the row needs. */
  readonly needs?: string;
  /** What the page does while the payer pays. */
  readonly whileWaiting?: (page: Page) => Promise<unknown>;
  /** Whether the widget is in a frame of the page. */
  readonly isFramed?: true;
}

const field = 'test/host-pages/node_modules/';
const debian = '/usr/share/javascript/';

/** A script of the page, which is missing where its package is. */
const script = (file: string): string =>
  existsSync(file) ? `<script>${readFileSync(file, 'utf8').replaceAll('</script', '<\\/script')}</script>` : '';
const sheet = (file: string): string => (existsSync(file) ? `<style>${readFileSync(file, 'utf8')}</style>` : '');

type More = Omit<Partial<HostPageRow>, 'name' | 'head' | 'body'>;
const style = (name: string, css: string, more: More = {}): HostPageRow => ({
  name,
  head: `<style>${css}</style>`,
  body: '{widget}',
  ...more,
});
const parent = (name: string, body: string, more: More = {}): HostPageRow => ({ name, body, ...more });
const library = (name: string, file: string, start = '', more: More = {}): HostPageRow => ({
  name,
  needs: file,
  head: `${script(file)}<script>addEventListener('load', () => { ${start} })</script>`,
  body: '<main id="shop">{widget}</main>',
  ...more,
});
const bootstrap = (name: string, body: string): HostPageRow => {
  const needs = `${field}bootstrap/dist/css/bootstrap.min.css`;
  return { name: `Bootstrap: ${name}`, needs, head: sheet(needs), body };
};

/** The page's tag as its server writes it, without what the element has set. */
const serverMarkup = `fetch(location.href).then((page) => page.text()).then((text) => new DOMParser().parseFromString(text, 'text/html').querySelector('main'))`;
const morph =
  (call: string) =>
  (page: Page): Promise<unknown> =>
    page.evaluate(`${serverMarkup}.then((main) => { ${call} })`);

const frame = (name: string, sandbox: string, more: More = {}): HostPageRow => ({
  name,
  body: `<iframe ${sandbox} style="inline-size: 100%; block-size: 1200px"></iframe>`,
  isFramed: true,
  ...more,
});

export const hostPages: readonly HostPageRow[] = [
  style('a root font of 62.5 %', 'html { font-size: 62.5% }', { isQuick: true }),
  style('a root font of 20 px', 'html { font-size: 20px }'),
  style('a style sheet that unsets all', '* { all: unset }', { isQuick: true }),
  style(
    'texts in spaced capitals that do not wrap',
    'body { text-transform: uppercase; letter-spacing: 0.3em; word-spacing: 1em; white-space: nowrap; text-indent: 3em; line-height: 3; font-style: italic; text-align: center; font-size: 9px }',
    { isQuick: true },
  ),
  style('texts that break anywhere', 'body { word-break: break-all; hyphens: auto; text-wrap: nowrap; cursor: none }'),
  style('important sizes for all elements', '* { min-width: 0 !important; max-width: 100% !important; float: left }'),
  style(
    'a reset with border boxes',
    '*, ::before, ::after { box-sizing: border-box; margin: 0; padding: 0; border: 0 }',
  ),
  {
    ...style('utilities with a prefix', '*, ::before { --tw-ring: 0; border: 0 solid } .tw-flex { display: flex }'),
    body: '<div class="tw-flex">{widget}</div>',
  },
  style('a page that is zoomed', 'body { zoom: 1.5 }'),
  style('a page from right to left', 'html { direction: rtl }', { isQuick: true }),
  style('a page from top to bottom', 'html { writing-mode: vertical-rl }', { isQuick: true }),
  style('a dark page', ':root { color-scheme: dark; background: #111 }'),
  style('a page that hides overflow', 'body { overflow: hidden auto; display: flex }'),
  style('a page with transitions for all elements', '* { transition: all 2s !important }'),
  parent('a flex row', '<div style="display: flex">{widget}</div>', { isQuick: true }),
  parent('a cell of a table', '<table><tr><td>{widget}</td></tr></table>', { isQuick: true }),
  parent(
    "the page's own dialog",
    '<dialog>{widget}</dialog><script>document.querySelector("dialog").showModal()</script>',
    { isQuick: true },
  ),
  parent('a form of the page', '<form action="/nowhere" onsubmit="document.title = \'sent\'">{widget}</form>'),
  parent('a label', '<label>{widget}</label>'),
  parent('a link', '<a href="#elsewhere">{widget}</a>'),
  parent('a folded part that is open', '<details open><summary>Pay</summary>{widget}</details>'),
  parent('two columns of text', '<div style="columns: 2 300px">{widget}</div>', { isQuick: true }),
  bootstrap('.d-flex', '<div class="d-flex">{widget}</div>'),
  bootstrap('.col-auto', '<div class="container"><div class="row"><div class="col-auto">{widget}</div></div></div>'),
  bootstrap('a card', '<div class="card d-inline-block"><div class="card-body text-nowrap">{widget}</div></div>'),
  bootstrap('a table', '<table class="table"><tr><td>1</td><td>{widget}</td></tr></table>'),
  library('Prototype 1.7.3', `${debian}prototype/prototype-1.7.3.js`),
  // It replaces `Document`, so that the widget's styles are elements in its root.
  library('MooTools 1.4.5', `${debian}mootools/mootools-core-nc.js`),
  library('core-js 2', `${field}core-js/client/shim.min.js`),
  library('Dark Reader', `${field}darkreader/darkreader.js`, 'DarkReader.enable()'),
  library('FastClick', `${field}fastclick/lib/fastclick.js`, 'FastClick.attach(document.body)'),
  library('idiomorph, which compares the page with its server markup', `${field}idiomorph/dist/idiomorph.min.js`, '', {
    whileWaiting: morph(`Idiomorph.morph(document.querySelector('main'), main)`),
  }),
  library('morphdom, which compares the page with its server markup', `${field}morphdom/dist/morphdom-umd.min.js`, '', {
    whileWaiting: morph(`morphdom(document.querySelector('main'), main)`),
  }),
  library('Turbo 8, which refreshes the page', `${field}@hotwired/turbo/dist/turbo.es2017-umd.js`, '', {
    whileWaiting: (page) => page.evaluate(`Turbo.visit(location.href, { action: 'replace' })`),
  }),
  library('htmx 2, which replaces the page', `${field}htmx.org/dist/htmx.min.js`, '', {
    whileWaiting: (page) =>
      page.evaluate(
        `htmx.ajax('GET', location.href, { source: document.body, target: '#shop', select: '#shop', swap: 'outerHTML' })`,
      ),
  }),
  frame('a frame', '', { isQuick: true }),
  frame('a frame with a sandbox that has scripts and its own origin', 'sandbox="allow-scripts allow-same-origin"', {
    async whileWaiting(page) {
      const place = page.frameLocator('iframe');
      await place.getByRole('link', { name: 'Pay on your bank’s site' }).click();
      await place.getByRole('button', { name: 'Copy the link' }).waitFor();
    },
  }),
];
