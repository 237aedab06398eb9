import type { Browser, Page } from 'playwright-core';
import { states } from '../../demo/gallery-states.ts';
import { chooseMethod, placeOrder, sbp } from '../e2e/visit-page.ts';
import { openForFile } from '../support/open-for-file.ts';
import { GalleryPage, serveGalleryPage } from '../visual/gallery-page.ts';
import { adminToken, createCheckout, createInvoice, payUrl, readPayPageWhenRefused, servers } from './servers.ts';

/** A page that is served, or what a page's script makes of it. */
export interface HtmlRow {
  readonly name: string;
  readonly read: (browser: Browser) => Promise<string>;
}

const { standalone, sandbox, demo, example } = servers;

const fetchText = async (url: string, init: RequestInit = {}): Promise<string> =>
  (await fetch(url, { ...init, headers: { 'accept-language': 'en' } })).text();
const served = (name: string, url: string | (() => Promise<string>), init?: RequestInit): HtmlRow => ({
  name,
  read: async () => fetchText(typeof url === 'string' ? url : await url(), init),
});

/** The page's document, with each shadow tree in its host. It runs in the page. */
function serializePage(): string {
  const copy = (node: Node): Node => {
    const copied = node.cloneNode(false);
    const { childNodes } = (node instanceof Element ? node.shadowRoot : null) ?? node;
    for (const child of childNodes) copied.appendChild(copy(child));
    return copied;
  };
  const root = copy(document.documentElement);
  return `<!doctype html>\n${root instanceof Element ? root.outerHTML : ''}`;
}

/** A page as it is once `ready` has happened on it. */
const rendered = (
  name: string,
  url: string | (() => Promise<string>),
  ready: (page: Page) => Promise<unknown>,
): HtmlRow => ({
  name: `${name}, with its script`,
  async read(browser) {
    const page = await browser.newPage({ locale: 'en-GB' });
    await page.goto(typeof url === 'string' ? url : await url());
    await ready(page);
    // The compiler of the tests calls a function of its own for each name.
    const html = await page.evaluate<string>(`(__name = (one) => one, (${String(serializePage)})())`);
    await page.close();
    return html;
  },
});

const withoutAmount = { amount: null, amount_limits: { min_amount: '50.00', max_amount: '15000.00' } };
const widgetTitle = (page: Page): Promise<void> => page.locator('pay-invoice [part=title]').waitFor();

const payPages: readonly (readonly [name: string, url: () => Promise<string>])[] = [
  ['the pay page of an open checkout', async () => payUrl(await createCheckout())],
  ['the pay page whose amount is typed', async () => payUrl(await createCheckout(withoutAmount))],
  ['the pay page of an invoice of SBP', async () => payUrl((await createInvoice('pm_sbp')).buyer)],
  ['the pay page of a card’s requisites', async () => payUrl((await createInvoice('pm_card')).buyer)],
  ['the pay page of an account’s requisites', async () => payUrl((await createInvoice('pm_bank_transfer')).buyer)],
  ['the pay page of a paid checkout', async () => payUrl((await createInvoice('pm_sbp', 'pay')).buyer)],
  ['the pay page of a failed checkout', async () => payUrl((await createInvoice('pm_sbp', 'fail')).buyer)],
  ['the pay page of an expired checkout', async () => payUrl((await createInvoice('pm_sbp', 'expire')).buyer)],
  ['the pay page of no checkout', () => Promise.resolve(`${standalone}/pay/chk_${'a'.repeat(22)}`)],
];

const bankUrl = async (result?: 'pay' | 'fail' | 'expire'): Promise<string> =>
  `${sandbox}/pay/${(await createInvoice('pm_sbp', result)).invoiceId}?lang=en`;

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Admin token').fill(adminToken);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Newest payments' }).waitFor();
}

const servedRows: readonly HtmlRow[] = [
  served('the trial’s first page', standalone),
  served('the trial’s first page after an order', `${standalone}/?order=1`),
  ...payPages.map(([name, url]) => served(name, url)),
  served('the pay page with the methods again', async () => `${await payPages[2]?.[1]()}?methods=1`),
  served('the pay page after a check', async () => `${await payPages[2]?.[1]()}?check=1`),
  served('the pay page after a refusal', async () => `${await payPages[0]?.[1]()}?problem=method_unavailable`),
  { name: 'the pay page for too many requests', read: () => readPayPageWhenRefused('rate_limited') },
  { name: 'the pay page without its backend', read: () => readPayPageWhenRefused('try_again') },
  served('the operator’s page', `${standalone}/admin`),
  served('the list of the sandbox’s bank', sandbox),
  served('the bank’s page of an invoice', () => bankUrl()),
  served('the bank’s page of a paid invoice', () => bankUrl('pay')),
  served('the bank’s page of a refused invoice', () => bankUrl('fail')),
  served('the bank’s page of an expired invoice', () => bankUrl('expire')),
  served('the bank’s page of no invoice', `${sandbox}/pay/none`),
  served('the example’s shop', example),
  served('the example’s page after a payment', `${example}/paid`),
  ...['', 'demo/playground.html', 'demo/gallery.html'].map((path) =>
    served(`the demo’s page /${path}`, `${demo}/${path}`),
  ),
];

const renderedRows: readonly HtmlRow[] = [
  ...payPages
    .slice(0, -1)
    .map(([name, url]) => rendered(name, url, (page) => page.locator('pay-invoice [part=base]').waitFor())),
  rendered('the operator’s page', `${standalone}/admin`, (page) => page.getByLabel('Admin token').waitFor()),
  rendered('the operator’s list', `${standalone}/admin`, signIn),
  rendered('the operator’s page of a checkout', `${standalone}/admin`, async (page) => {
    const { buyer } = await createInvoice('pm_sbp', 'pay');
    await signIn(page);
    await page.goto(`${standalone}/admin#${buyer.id}`);
    await page.getByText(/The service says PAID/).waitFor();
  }),
  rendered('the demo’s first page', demo, (page) => page.locator('pay-invoice [part=qr]').waitFor()),
  rendered('the demo’s shop', `${demo}/#goods`, (page) =>
    page.getByRole('button', { name: 'Add: Tea bowl' }).waitFor(),
  ),
  rendered('the demo’s payment', `${demo}/#goods`, async (page) => {
    await placeOrder(page);
    await chooseMethod(page.locator('pay-invoice'), sbp);
    await page.locator('pay-invoice [part=qr]').waitFor();
  }),
  rendered('the playground', `${demo}/demo/playground.html`, widgetTitle),
  // Its pictures are shadow trees, which have the same ids in this text. The tree of each state is checked by itself.
  rendered('the gallery', `${demo}/demo/gallery.html`, (page) =>
    page.locator('#wall .picture').evaluateAll((pictures) => pictures.forEach((picture) => picture.remove())),
  ),
  rendered('a state of the gallery', `${demo}/demo/gallery.html#state=options`, widgetTitle),
];

/** The widget's shadow tree in each state of the gallery. */
async function galleryRows(): Promise<readonly HtmlRow[]> {
  const server = await openForFile(serveGalleryPage());
  let gallery: GalleryPage | undefined;
  return Object.keys(states).map((state) => ({
    name: `the widget in the state ${state}`,
    async read(browser) {
      gallery ??= await GalleryPage.open(browser, server.url, { width: 480, isTouch: false });
      await gallery.show(state, 'light', 'en');
      const html = await gallery.page.locator('pay-invoice').evaluate(({ shadowRoot }) => shadowRoot?.innerHTML ?? '');
      return `<!doctype html><html lang="en"><head><title>Widget</title></head><body>${html}</body></html>`;
    },
  }));
}

export const rows: readonly HtmlRow[] = [...servedRows, ...renderedRows, ...(await galleryRows())];
