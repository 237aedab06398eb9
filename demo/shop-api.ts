/** A product of the shop's catalogue: the price is a decimal string in roubles, the picture the name of a drawing. */
export interface Product {
  readonly sku: string;
  readonly name: { readonly ru: string; readonly en: string };
  readonly price: string;
  readonly picture: string;
}

/** An order as the shop's server knows it. */
export interface Order {
  readonly order_id: string;
  readonly status: 'new' | 'paid';
}

/** What an order was answered with: its id, and the capability of its checkout. */
export interface PlacedOrder {
  readonly order_id: string;
  readonly checkout: string;
}

/** What the demo is running on. */
export interface DemoConfig {
  /** Where the sandbox's control API is, or null with a real service. */
  readonly sandbox: string | null;
}

async function ask<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(path, init);
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return (await response.json()) as T;
}

export async function fetchProducts(): Promise<readonly Product[]> {
  const { products } = await ask<{ products: readonly Product[] }>('/shop/products');
  return products;
}

export function placeOrder(
  items: readonly { readonly sku: string; readonly quantity: number }[],
): Promise<PlacedOrder> {
  return ask('/shop/orders', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ items }),
  });
}

export function fetchOrder(orderId: string): Promise<Order> {
  return ask(`/shop/orders/${encodeURIComponent(orderId)}`);
}

export function fetchConfig(): Promise<DemoConfig> {
  return ask('/config.json');
}
