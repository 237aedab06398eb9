// The operator's page with an address and with texts that somebody made to mislead the operator.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { adminToken } from '../support/buyer.ts';
import { openForFile } from '../support/open-for-file.ts';
import { startStandalone } from '../support/start-standalone.ts';
import { openBrowser } from './visit-page.ts';

const server = await openForFile(startStandalone());
const browser = await openBrowser();

async function openSignedIn(hash: string): Promise<{ readonly page: Page; readonly called: readonly string[] }> {
  const page = await browser.newPage({ locale: 'en-GB' });
  const called: string[] = [];
  page.on('request', (request) => {
    if (request.headers()['authorization'] !== undefined) called.push(new URL(request.url()).pathname);
  });
  await page.addInitScript((token) => sessionStorage.setItem('admin-token', token), adminToken);
  return { page, called, ...(await page.goto(`${server.url}/admin${hash}`), {}) };
}

describe('the address of the operator’s page', { timeout: 60_000 }, () => {
  for (const hash of [
    '#../../x',
    '#..',
    '#.',
    '#%2e%2e/x',
    '#//evil.example',
    '#co_1/close',
    '#co_1?x=',
    '#co_1\\..\\x',
  ])
    it(`names a checkout and nothing else: ${hash} sends the token nowhere`, async () => {
      const { page, called } = await openSignedIn(hash);
      await page.getByText('There is no such payment.').waitFor();
      assert.deepEqual(called, []);
    });
});

/** A letter that is written from right to left, and turns around what stands beside it in the line. */
const letter = '\u05d0';
/** The end of an isolation, and RIGHT-TO-LEFT OVERRIDE, which turns around all that follows it. */
const controls = '\u2069\u202e';

/** An answer of the admin API in which each text that is not ours turns the line around. */
function hostile(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(hostile);
  if (typeof json === 'object' && json !== null)
    return Object.fromEntries(
      Object.entries(json).map(([name, value]) => [name, isOurs(name) ? value : hostile(value)]),
    );
  return typeof json === 'string' ? `${letter}${controls}${json}` : json;
}
const isOurs = (name: string): boolean => /^(?:id|at|as|kind|action|amount|currency)$|_at$/.test(name);

const at = '2026-11-20T10:00:00Z';
const money = { amount: '1500.00', currency: 'RUB' };
const list = {
  id: 'co_1',
  order_id: 'order',
  reference: 'reference',
  description: 'description',
  status: 'pending',
  created_at: at,
  paid_at: null,
  closed_at: null,
  expires_at: null,
  invoices: [],
  ...money,
};
const details = {
  ...list,
  invoices: [
    {
      id: null,
      external_id: 'att_1',
      status: 'pending',
      service_status: 'PAID',
      method: { type: 'SBP', name: 'method' },
      paid_amount: null,
      needs_decision: true,
      created_at: at,
      expires_at: at,
      checked_at: at,
      answered_at: at,
      next_check_at: at,
      status_history: [{ at, status: 'WORD' }],
      resolution: { as: 'void', note: 'note', at },
      ...money,
    },
  ],
  outcomes: [
    {
      id: 'att_1.paid',
      kind: 'paid',
      external_id: 'att_1',
      occurred_at: at,
      delivered_at: null,
      abandoned_at: at,
      next_delivery_at: null,
      deliveries: [{ at, status: 500, error: 'error of the receiver' }],
      ...money,
    },
  ],
  actions: [{ at, action: 'redeliver', target: 'att_1.paid' }],
};

const [outcome] = details.outcomes;
const undelivered = {
  ...details,
  outcomes: [{ ...outcome, order_id: 'order', abandoned_at: null, next_delivery_at: at }],
};

/** The texts of a page that turn around more than themselves. */
const leaking = (page: Page, sign: string): Promise<readonly string[]> =>
  page.evaluate((foreignSign) => {
    const found: string[] = [];
    const visit = (node: Node): void => {
      if (node instanceof Text) {
        const text = node.data.trim();
        if (!text.includes(foreignSign)) return;
        const parent = node.parentElement;
        const isIsolated = parent !== null && getComputedStyle(parent).unicodeBidi.startsWith('isolate');
        const own = [...(parent?.childNodes ?? [])].filter(
          (child) => child instanceof Text && child.data.trim() !== '',
        );
        // The sign comes first: a text before it is ours, and only one foreign text is in an isolate.
        if (!isIsolated || own.length > 1 || text.lastIndexOf(foreignSign) > 0) found.push(text);
        return;
      }
      if (node instanceof Element && node.shadowRoot !== null) visit(node.shadowRoot);
      for (const child of node.childNodes) visit(child);
    };
    visit(document.body);
    return found;
  }, sign);

describe('a text that is not the page’s own', { timeout: 60_000 }, () => {
  for (const { name, hash, answer, last } of [
    { name: 'a checkout', hash: '#co_1', answer: details, last: 'Operator' },
    { name: 'the list', hash: '', answer: { checkouts: [list], next_cursor: null }, last: 'Newest payments' },
    {
      name: 'a refusal',
      hash: '#co_1',
      answer: { code: 'other', title: 'title', detail: 'detail' },
      last: 'That did not work',
    },
  ])
    it(`turns around no other text of its line: ${name}`, async () => {
      const { page } = await openSignedIn('');
      await page.route('**/admin/checkouts**', (route) =>
        route.fulfill({ status: 'code' in answer ? 400 : 200, json: hostile(answer) }),
      );
      if ('checkouts' in answer)
        await page.route('**/admin/checkouts/co_1**', (route) => route.fulfill({ json: hostile(undelivered) }));
      await page.goto('about:blank');
      await page.goto(`${server.url}/admin${hash}`);
      await page.getByText(last).first().waitFor();
      await page.locator('main[aria-busy=false]').waitFor();
      const text = await page.locator('operator-page').evaluate((host) => host.shadowRoot?.textContent ?? '');
      assert.ok(text.includes(`${letter}\\u2069\\u202e`), 'the signs are shown');
      assert.doesNotMatch(text, /[\u202a-\u202e\u2066-\u2069]/);
      assert.deepEqual(await leaking(page, letter), []);
    });
});
