import type { CheckoutTransport } from '../src/core.ts';

/** A product of the shop's catalogue: the price is a decimal string in roubles, the picture the name of a drawing. */
export interface Product {
  readonly sku: string;
  readonly name: { readonly ru: string; readonly en: string };
  readonly price: string;
  readonly picture: string;
}

/** A line of a cart. It has no price: the server uses the catalogue's. */
interface CartItem {
  readonly sku: string;
  readonly quantity: number;
}

/** An order as the shop's server returns it. */
export interface Order {
  readonly order_id: string;
  readonly status: 'new' | 'paid';
  /** Payments that a person at the shop has to check. */
  readonly other_payments?: readonly { readonly kind: string; readonly mode: string; readonly amount: string }[];
}

/** The response to a placed order: the order's id, and the capability of its checkout. */
export interface PlacedOrder {
  readonly order_id: string;
  readonly checkout: string;
}

/** A request that the page made, and its response. */
export interface RequestFacts {
  readonly method: string;
  /** The path without the capability, such as `/checkout/…/invoice`. */
  readonly path: string;
  /** The HTTP status; 0 when there was no response, undefined where the browser does not tell. */
  readonly status: number | undefined;
  /** In ms of `performance.now()`. */
  readonly start: number;
  /** In ms. */
  readonly duration: number;
}

/** What the shop's page needs from the shop's server. */
export interface ShopServer {
  /** The text that says whether money moves. */
  readonly lead: 'lead' | 'leadSimulated' | 'leadTest' | 'leadLive';
  readonly products: readonly Product[];
  placeOrder(items: readonly CartItem[]): Promise<PlacedOrder>;
  fetchOrder(orderId: string): Promise<Order>;
  /** The widget's transport for a checkout; undefined where the widget uses its own transport over HTTP. */
  transportOf(checkout: string): CheckoutTransport | undefined;
  /** Sends a request to the sandbox's control API. Resolves with whether it succeeded. null where there is no sandbox. */
  readonly control: ((method: string, path: string, body?: unknown) => Promise<boolean>) | null;
  /** Calls back for each request that the page makes. */
  watchRequests(listener: (request: RequestFacts) => void): void;
}

/** The path and query of a URL, without the capability in it. */
export function pathWithoutSecret(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname.replace(/\/chk_[\w-]+/, '/…') + search;
}
