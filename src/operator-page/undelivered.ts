import { callAdmin, type Checkout, type CheckoutDetails } from './admin-client.ts';

// What the shop has not received.

/** The paths of the calls that deliver again what the shop has not received of these checkouts. */
export async function pathsToRedeliver(
  token: string,
  checkouts: readonly Checkout[],
): Promise<readonly (readonly string[])[]> {
  const paths: (readonly string[])[] = [];
  for (const { id } of checkouts) {
    const { outcomes } = await callAdmin<CheckoutDetails>(token, ['checkouts', id]);
    paths.push(...outcomes.filter((one) => one.delivered_at === null).map((one) => ['outcomes', one.id, 'redeliver']));
  }
  return paths;
}
