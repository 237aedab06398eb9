import { randomBytes } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { sumOf } from '../src/contract.ts';
import type { Outcome } from '../src/server.ts';
import type { CheckoutTables, Migration } from '../src/sqlite.ts';
import { currency, productOf } from './catalogue.ts';

/** One line of a cart as the browser sends it. Prices come from the catalogue. */
export interface CartItem {
  readonly sku: string;
  readonly quantity: number;
}

/** An order. It is paid once an outcome of the checkout server has said so. */
export interface Order {
  readonly order_id: string;
  readonly status: 'new' | 'paid';
  readonly amount: string;
  readonly currency: string;
  /** Milliseconds since 1970. */
  readonly created_at: number;
  readonly paid_at: number | null;
}

interface OrdersTable {
  readonly order_id: string;
  /** JSON: the lines with the prices of that moment. */
  readonly items: string;
  readonly amount: string;
  readonly currency: string;
  readonly created_at: number;
}

/** One row for each payment: its key is what makes a repeated outcome harmless. */
interface PaymentsTable {
  readonly outcome_id: string;
  readonly order_id: string;
  /** `duplicate_payment`: the order had been paid already, and this payment has to be refunded. */
  readonly kind: 'paid' | 'duplicate_payment';
  readonly invoice_id: string;
  readonly amount: string;
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
        .addColumn('invoice_id', 'text', (column) => column.notNull())
        .addColumn('amount', 'text', (column) => column.notNull())
        .addColumn('paid_at', 'bigint', (column) => column.notNull())
        .execute();
      await schema.createIndex('order_payments_of').on('order_payments').column('order_id').execute();
    },
  },
  {
    name: 'shop-2',
    async up(_, transaction) {
      await sql`update order_payments set kind = 'duplicate_payment' where kind = 'paid_again'`.execute(transaction);
    },
  },
];

/** The orders of the shop, kept in the same database as its checkouts. */
export function createOrders(database: Kysely<CheckoutTables>) {
  const db = database.withTables<{ orders: OrdersTable; order_payments: PaymentsTable }>();
  return {
    /** Creates an order at the catalogue's prices; undefined when a product does not exist. */
    async place(cart: readonly CartItem[]): Promise<Order | undefined> {
      const items = cart.flatMap(({ sku, quantity }) => {
        const product = productOf(sku);
        return product === undefined ? [] : [{ sku, quantity, price: product.price }];
      });
      if (items.length < cart.length) return undefined;
      const order = {
        order_id: `ord_${randomBytes(16).toString('base64url')}`,
        amount: sumOf(items),
        currency,
        created_at: Date.now(),
      };
      await db
        .insertInto('orders')
        .values({ ...order, items: JSON.stringify(items) })
        .execute();
      return { ...order, status: 'new', paid_at: null };
    },

    async find(orderId: string): Promise<Order | undefined> {
      const row = await db
        .selectFrom('orders')
        .leftJoin('order_payments', 'order_payments.order_id', 'orders.order_id')
        .select(['orders.order_id', 'orders.amount', 'currency', 'created_at', 'paid_at'])
        .where('orders.order_id', '=', orderId)
        .orderBy('paid_at')
        .executeTakeFirst();
      return row && { ...row, status: row.paid_at === null ? 'new' : 'paid' };
    },

    /** Records a payment. An outcome may be delivered more than once; the row's key makes repeats harmless. Other outcomes need no action: the payer may try again. */
    async settle({ id, kind, order_id, invoice_id, amount, occurred_at }: Outcome): Promise<void> {
      if (kind !== 'paid' && kind !== 'duplicate_payment') return;
      await db
        .insertInto('order_payments')
        .values({ outcome_id: id, order_id, kind, invoice_id, amount, paid_at: occurred_at })
        .onConflict((conflict) => conflict.column('outcome_id').doNothing())
        .execute();
    },
  };
}

export type Orders = ReturnType<typeof createOrders>;
