import { randomBytes, randomInt } from 'node:crypto';
import type { Kysely } from 'kysely';
import { sumOf, type Mode } from '../src/service-api.ts';
import { standardErrorLog, type CheckoutServer, type Outcome } from '../src/server.ts';
import type { CheckoutTables, Migration } from '../src/sqlite.ts';
import { currency, productOf } from './catalogue.ts';

/** One line of a cart as the browser sends it. Prices come from the catalogue. */
export interface CartItem {
  readonly sku: string;
  readonly quantity: number;
}

/**
 * An outcome that did not make its order paid and needs the attention of a person: a payment in another mode, a payment of
 * another amount, a payment for a paid order, or an invoice that may exist.
 */
interface OtherPayment extends Pick<Outcome, 'kind' | 'mode' | 'amount'> {
  readonly expected_amount: string;
  readonly invoice_id: string;
}

/** A new order and the capability of its checkout. */
export interface PlacedOrder {
  readonly order_id: string;
  readonly checkout: string;
}

/** An order. It is paid once an outcome `paid` in the shop's own mode has been delivered. */
export interface Order {
  readonly order_id: string;
  readonly status: 'new' | 'paid';
  readonly amount: string;
  readonly currency: string;
  /** Milliseconds since 1970. */
  readonly created_at: number;
  readonly paid_at: number | null;
  readonly other_payments: readonly OtherPayment[];
}

interface OrdersTable {
  readonly order_id: string;
  /** The order's number for people. */
  readonly reference: string;
  /** JSON: the items, with their prices when the order was placed. */
  readonly items: string;
  readonly amount: string;
  readonly currency: string;
  readonly created_at: number;
}

/** One row for each payment. Its key is the outcome's identifier, so that a repeated outcome adds no second row. */
interface PaymentsTable {
  readonly outcome_id: string;
  readonly order_id: string;
  readonly kind: Outcome['kind'];
  readonly mode: Mode;
  /** For `create_unresolved`, which has no invoice, the `external_id` to look for at the service. */
  readonly invoice_id: string;
  readonly amount: string;
  readonly expected_amount: string;
  readonly paid_at: number;
}

/** The shop's own tables, beside the checkout's. */
export const shopMigrations: readonly Migration[] = [
  {
    name: 'shop-1',
    async up(schema) {
      await schema
        .createTable('orders')
        .addColumn('order_id', 'text', (column) => column.primaryKey())
        .addColumn('reference', 'text', (column) => column.notNull())
        .addColumn('items', 'text', (column) => column.notNull())
        .addColumn('amount', 'text', (column) => column.notNull())
        .addColumn('currency', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute();
      await schema
        .createTable('order_payments')
        .addColumn('outcome_id', 'text', (column) => column.primaryKey())
        .addColumn('order_id', 'text', (column) => column.notNull().references('orders.order_id'))
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('mode', 'text', (column) => column.notNull())
        .addColumn('invoice_id', 'text', (column) => column.notNull())
        .addColumn('amount', 'text', (column) => column.notNull())
        .addColumn('expected_amount', 'text', (column) => column.notNull())
        .addColumn('paid_at', 'bigint', (column) => column.notNull())
        .execute();
      await schema.createIndex('order_payments_of').on('order_payments').column('order_id').execute();
    },
  },
];

/** Outcomes after which the payer may try again. */
const retryableKinds: readonly string[] = ['failed', 'expired'];
/** Outcomes after which money was paid, or may have been paid. */
const paymentKinds: readonly string[] = [
  'paid',
  'duplicate_payment',
  'amount_mismatch',
  'test_payment',
  'create_unresolved',
  'invoice_unresolved',
];

/**
 * The orders of the shop, kept in the same database as its checkouts.
 * @param mode - the shop's own mode: a payment in the other mode pays no order
 */
export function createOrders(database: Kysely<CheckoutTables>, mode: Mode) {
  const db = database.withTables<{ orders: OrdersTable; order_payments: PaymentsTable }>();
  return {
    /**
     * Creates an order at the catalogue's prices and its checkout in one transaction, so that none exists without the other.
     * Resolves with undefined when a product does not exist.
     */
    async place(cart: readonly CartItem[], create: CheckoutServer['create']): Promise<PlacedOrder | undefined> {
      const items = cart.flatMap(({ sku, quantity }) => {
        const product = productOf(sku);
        return product === undefined ? [] : [{ sku, quantity, price: product.price }];
      });
      if (items.length < cart.length) return undefined;
      const order_id = `ord_${randomBytes(16).toString('base64url')}`;
      // The order's identifier is secret, because it gives access to the order. Payers quote this reference, such as "4821-7360".
      const reference = String(randomInt(1e7, 1e8)).replace(/(?=.{4}$)/, '-');
      const amount = sumOf(items);
      return db.transaction().execute(async (transaction) => {
        await transaction
          .insertInto('orders')
          .values({ order_id, reference, amount, currency, created_at: Date.now(), items: JSON.stringify(items) })
          .execute();
        const params = { orderId: order_id, reference, amount, currency, description: 'Leaf & Clay' };
        const { capability } = await create(params, { transaction });
        return { order_id, checkout: capability };
      });
    },

    async find(orderId: string): Promise<Order | undefined> {
      const row = await db
        .selectFrom('orders')
        .select(['order_id', 'amount', 'currency', 'created_at'])
        .where('order_id', '=', orderId)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const payments = await db
        .selectFrom('order_payments')
        .select(['kind', 'mode', 'invoice_id', 'amount', 'expected_amount', 'paid_at'])
        .where('order_id', '=', orderId)
        .orderBy('paid_at')
        .execute();
      const ownPayment = payments.find((payment) => payment.kind === 'paid' && payment.mode === mode);
      const other_payments = payments
        .filter((payment) => payment !== ownPayment)
        .map(({ kind, mode, invoice_id, amount, expected_amount }) => ({
          kind,
          mode,
          invoice_id,
          amount,
          expected_amount,
        }));
      const paid_at = ownPayment?.paid_at ?? null;
      return { ...row, status: ownPayment === undefined ? 'new' : 'paid', paid_at, other_payments };
    },

    /**
     * Stores the payment that an outcome reports. An outcome that is delivered again changes nothing. `failed` and `expired`
     * need no action: the payer may try again. A person's decision counts as a payment, or as none.
     * @throws Error for an outcome of an unknown kind or order, which is then delivered again until the cause is corrected
     */
    async settle(outcome: Outcome): Promise<void> {
      const { id, orderId, decision, amount, expectedAmount, occurredAt } = outcome;
      const kind = decision === 'paid' ? 'paid' : outcome.kind;
      const invoice_id = outcome.invoiceId ?? outcome.externalId;
      const order = await db.selectFrom('orders').select('order_id').where('order_id', '=', orderId).executeTakeFirst();
      if (order === undefined) throw new Error('the outcome is of an unknown order');
      if (retryableKinds.includes(kind) || decision === 'void') return;
      if (!paymentKinds.includes(kind)) throw new Error(`the outcome is of an unknown kind: ${kind}`);
      const payment = {
        order_id: orderId,
        kind,
        mode: outcome.mode,
        invoice_id,
        amount,
        expected_amount: expectedAmount,
      };
      if (kind !== 'paid' || outcome.mode !== mode) standardErrorLog('error', 'order_needs_attention', payment);
      await db
        .insertInto('order_payments')
        .values({ ...payment, outcome_id: id, paid_at: occurredAt })
        .onConflict((conflict) => conflict.column('outcome_id').doNothing())
        .execute();
    },
  };
}

export type Orders = ReturnType<typeof createOrders>;
