import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import {
  createCheckoutServer,
  createInvoiceServiceClient,
  type CheckoutServer,
  type Outcome,
} from '../../src/server.ts';
import { createSqliteStore, type SqlStore } from '../../src/sqlite.ts';
import { Buyer } from '../support/buyer.ts';
import { until } from '../support/wait-until.ts';

/** A running shop whose receiver goes through the table. */
export interface ReceivingShop {
  /** The address below which `/checkout` is. */
  readonly server: string;
  /** The address of the sandbox that it pays at. */
  readonly sandbox: string;
  /** The SQLite file of its checkouts. */
  readonly checkoutsFile: string;
  /** Places an order of 1500 roubles. */
  order(): Promise<unknown>;
  isPaid(orderId: string): Promise<boolean> | boolean;
  /** The kinds of the outcomes of an order that the shop has shown to a person. */
  listForPerson(orderId: string): Promise<readonly string[]> | readonly string[];
  /** For a shop that is not called: fetches its outcomes, or also those that it has. */
  fetchOutcomes?(again: boolean): Promise<unknown>;
}

type Kind = Outcome['kind'];

/** What happens to the invoices of an order. */
class Purchase {
  readonly #shop: ReceivingShop;
  readonly #checkouts: CheckoutServer;
  readonly #buyer: Buyer;

  constructor(
    shop: ReceivingShop,
    checkouts: CheckoutServer,
    ids: { readonly id: string; readonly capability: string },
  ) {
    this.#shop = shop;
    this.#checkouts = checkouts;
    this.#buyer = new Buyer({ url: shop.server, sandbox: shop.sandbox }, { id: ids.id, checkoutId: ids.capability });
  }

  /** Requests an invoice. Resolves with its identifier. */
  async request(method?: string): Promise<string> {
    const { invoice } = await this.#buyer.createInvoice(method);
    return invoice?.id ?? assert.fail('no invoice');
  }

  /** The bank pays, refuses or ends an invoice. */
  settle(invoiceId: string, result: 'pay' | 'fail' | 'expire'): Promise<void> {
    return this.#buyer.simulate(invoiceId, result);
  }

  async payOtherAmount(): Promise<void> {
    const faults = `${this.#shop.sandbox}/sandbox/faults`;
    const headers = { 'content-type': 'application/json' };
    const fault = { operation: 'FetchInvoices', kind: 'wrong_amount', once_paid: true, amount: '1499.99' };
    const invoiceId = await this.request();
    await fetch(faults, { method: 'PUT', headers, body: JSON.stringify(fault) });
    await this.settle(invoiceId, 'pay');
    await this.received('amount_mismatch');
    await fetch(faults, { method: 'DELETE' });
  }

  async decide(as: 'paid' | 'void'): Promise<void> {
    await this.#checkouts.resolve(this.#buyer.id, { as, note: 'seen at the bank' });
  }

  /** Waits until the shop has confirmed, or fetched, exactly these outcomes. */
  async received(...kinds: readonly Kind[]): Promise<void> {
    let last: readonly Kind[] = [];
    await until(
      `the shop has ${kinds.join(', ')}`,
      async () => {
        const outcomes = (await this.#checkouts.get(this.#buyer.id))?.outcomes ?? [];
        const isPushed = this.#shop.fetchOutcomes === undefined;
        last = outcomes.filter(({ deliveredAt }) => !isPushed || deliveredAt !== null).map(({ kind }) => kind);
        return last.length >= kinds.length;
      },
      60_000,
    );
    assert.deepEqual(last, kinds);
    await this.#shop.fetchOutcomes?.(false);
  }

  /** Sends all outcomes once more, as a server does that has not seen the shop's answer. */
  async receiveAgain(): Promise<void> {
    await this.#shop.fetchOutcomes?.(true);
    if (this.#shop.fetchOutcomes !== undefined) return;
    const { outcomes } = (await this.#checkouts.get(this.#buyer.id)) ?? assert.fail();
    for (const { id } of outcomes) await this.#checkouts.redeliver(id);
    await until('the outcomes came again', async () =>
      ((await this.#checkouts.get(this.#buyer.id))?.outcomes ?? []).every(
        ({ deliveries, deliveredAt }) => deliveredAt !== null && deliveries.length === 2,
      ),
    );
  }
}

interface Row {
  readonly title: string;
  readonly act: (purchase: Purchase) => Promise<unknown>;
  readonly outcomes: readonly Kind[];
  readonly isPaid: boolean;
  /** What a person has to look at. */
  readonly forPerson: readonly Kind[];
}

/** What can happen to an order, and what a shop has to make of it. */
const rows: readonly Row[] = [
  {
    title: 'delivers a paid order',
    act: async (purchase) => purchase.settle(await purchase.request(), 'pay'),
    outcomes: ['paid'],
    isPaid: true,
    forPerson: [],
  },
  {
    title: 'delivers nothing for a payment that failed',
    act: async (purchase) => purchase.settle(await purchase.request(), 'fail'),
    outcomes: ['failed'],
    isPaid: false,
    forPerson: [],
  },
  {
    title: 'delivers an order that is paid after a failed payment',
    async act(purchase) {
      await purchase.settle(await purchase.request(), 'fail');
      await purchase.received('failed');
      await purchase.settle(await purchase.request('pm_card'), 'pay');
    },
    outcomes: ['failed', 'paid'],
    isPaid: true,
    forPerson: [],
  },
  {
    title: 'delivers an order whose payment is late',
    async act(purchase) {
      const invoiceId = await purchase.request();
      await purchase.settle(invoiceId, 'expire');
      await purchase.received('expired');
      await purchase.settle(invoiceId, 'pay');
    },
    outcomes: ['expired', 'paid'],
    isPaid: true,
    forPerson: [],
  },
  {
    title: 'shows a second payment to a person, and delivers once',
    async act(purchase) {
      const late = await purchase.request();
      await purchase.settle(late, 'expire');
      await purchase.received('expired');
      await purchase.settle(await purchase.request('pm_card'), 'pay');
      await purchase.received('expired', 'paid');
      await purchase.settle(late, 'pay');
    },
    outcomes: ['expired', 'paid', 'duplicate_payment'],
    isPaid: true,
    forPerson: ['duplicate_payment'],
  },
  {
    title: 'shows a payment of another amount to a person, and delivers nothing',
    act: (purchase) => purchase.payOtherAmount(),
    outcomes: ['amount_mismatch'],
    isPaid: false,
    forPerson: ['amount_mismatch'],
  },
  {
    title: 'delivers what a person has decided as paid, also of another amount',
    async act(purchase) {
      await purchase.payOtherAmount();
      await purchase.decide('paid');
    },
    outcomes: ['amount_mismatch', 'resolved', 'paid'],
    isPaid: true,
    forPerson: ['amount_mismatch'],
  },
  {
    title: 'delivers nothing that a person has decided as void',
    async act(purchase) {
      await purchase.payOtherAmount();
      await purchase.decide('void');
    },
    outcomes: ['amount_mismatch', 'resolved'],
    isPaid: false,
    forPerson: ['amount_mismatch'],
  },
];

/**
 * Adds a test for each row to the present `describe`. In each, every outcome comes twice, and the second time changes nothing.
 * @param startShop - called before the first test
 */
export function testOutcomes(startShop: () => Promise<ReceivingShop>): void {
  let shop: ReceivingShop;
  let store: SqlStore;
  /** It has no workers: the shop's server fetches and delivers. It only says what an operator says. */
  let checkouts: CheckoutServer;
  before(async () => {
    shop = await startShop();
    store = await createSqliteStore({ file: shop.checkoutsFile });
    checkouts = createCheckoutServer({
      service: createInvoiceServiceClient({ baseUrl: shop.sandbox, token: 'sandbox-token' }),
      store,
      endpoint: `${shop.server}/checkout`,
      mode: 'TEST',
      onOutcome: () => Promise.reject(new Error('the shop receives outcomes')),
    });
  });
  after(async () => {
    await checkouts.stop();
    await store.close();
  });

  for (const { title, act, outcomes, isPaid, forPerson } of rows)
    it(`${title}, however often it is told`, async () => {
      await shop.order();
      const [order] = (await checkouts.list({ limit: 1 })).checkouts;
      const purchase = new Purchase(shop, checkouts, await checkouts.link(order?.id ?? ''));
      await act(purchase);
      await purchase.received(...outcomes);
      const orderId = order?.orderId ?? '';
      const expectState = async (): Promise<void> => {
        assert.equal(await shop.isPaid(orderId), isPaid);
        assert.deepEqual([...new Set(await shop.listForPerson(orderId))], forPerson);
      };
      await expectState();
      await purchase.receiveAgain();
      await expectState();
    });
}
