// Whatever has happened to a payment, the operator's page says it in plain Russian.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { MerchantCheckout, MerchantInvoice } from '../../src/server.ts';
import type { MerchantAction } from '../../src/server/ports/checkout-store.ts';
import { outcomeKinds } from '../../src/server/ports/outcome-outbox.ts';
import { adminToken } from '../support/buyer.ts';
import { openForFile } from '../support/open-for-file.ts';
import { startStandalone } from '../support/start-standalone.ts';
import { openBrowser } from './visit-page.ts';

const server = await openForFile(startStandalone());
const browser = await openBrowser();
const at = '2026-11-20T10:00:00Z';

/** All of a union's members: one that is missing is a fault of the types. */
const all = <T extends string>(members: Readonly<Record<T, true>>): readonly string[] => Object.keys(members);
const actions = all<MerchantAction['action']>({
  update: true,
  reopen: true,
  close: true,
  link: true,
  check: true,
  resolve: true,
  redeliver: true,
});
const statuses = all<MerchantInvoice['status']>({
  creating: true,
  pending: true,
  paid: true,
  failed: true,
  expired: true,
  unresolved: true,
  amount_mismatch: true,
  test_payment: true,
});
const checkoutStatuses = all<MerchantCheckout['status']>({
  open: true,
  pending: true,
  paid: true,
  failed: true,
  expired: true,
  closed: true,
});
const deliveries = [
  { at, status: 500, error: null },
  { at, status: 200, error: 'answered_with_html' },
  { at, status: null, error: 'timeout' },
  { at, status: null, error: 'ECONNREFUSED' },
  { at, status: null, error: 'no connection' },
  { at, status: null, error: null },
];

const checkoutOf = (status: string): object => ({
  id: 'co_1',
  order_id: '1001',
  reference: '1001',
  description: null,
  status,
  amount: '1500.00',
  currency: 'RUB',
  amount_limits: null,
  methods: ['SBP', 'CARD', 'BANK_TRANSFER'],
  created_at: at,
  paid_at: at,
  closed_at: null,
  expires_at: at,
  invoices: statuses.map((invoiceStatus, index) => ({
    id: `inv_${index}`,
    external_id: `att_${index}`,
    status: invoiceStatus,
    service_status: 'PAID',
    method: { type: 'SBP', name: 'СБП' },
    amount: '1500.00',
    paid_amount: '1400.00',
    needs_decision: index % 2 === 0,
    created_at: at,
    expires_at: at,
    checked_at: at,
    answered_at: at,
    next_check_at: at,
    status_history: [
      { at, status: 'PENDING' },
      { at, status: 'PAID' },
    ],
    resolution: index % 2 === 0 ? null : { as: index % 4 === 1 ? 'paid' : 'void', note: 'Анна', at },
  })),
  outcomes: outcomeKinds.map((kind, index) => ({
    id: `att_${index}.${kind}`,
    kind,
    external_id: `att_${index}`,
    amount: '1400.00',
    occurred_at: at,
    delivered_at: null,
    abandoned_at: at,
    next_delivery_at: null,
    deliveries,
  })),
  actions: actions.map((action) => ({ at, action, target: action === 'redeliver' ? 'att_0.paid' : null })),
});

for (const status of checkoutStatuses)
  it(`has no name of the program outside the fold for developers: ${status}`, { timeout: 30_000 }, async () => {
    const page = await browser.newPage({ locale: 'ru-RU' });
    await page.addInitScript((token) => sessionStorage.setItem('admin-token', token), adminToken);
    await page.route('**/admin/checkouts?**', (route) =>
      route.fulfill({ json: { checkouts: [checkoutOf(status)], next_cursor: null } }),
    );
    await page.route('**/admin/checkouts/co_1?', (route) => route.fulfill({ json: checkoutOf(status) }));
    for (const hash of ['', '#co_1']) {
      await page.goto('about:blank');
      await page.goto(`${server.url}/admin${hash}`);
      await page.getByText('1001').first().waitFor();
      const text = await page
        .locator('operator-page')
        .evaluate((host) => host.shadowRoot?.querySelector('main')?.innerText ?? '');
      // Words of the service, of HTTP and of the configuration are in capitals; “id” is a word that people know.
      assert.doesNotMatch(text, /[a-z]{3}|[a-z]_/, hash);
    }
    const entries = await page.locator('ol > li:not(.day)').count();
    assert.ok(entries >= 1 + statuses.length * 2 + outcomeKinds.length * 2 + actions.length, `${entries} entries`);
  });
