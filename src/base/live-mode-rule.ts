/**
 * Why a checkout server does not start in the mode LIVE without the service's words for "paid": with words that are only assumed,
 * a payment might never be seen, or an order be delivered that nobody has paid.
 * @param mode - the setting as its reader knows it, such as `INVOICE_MODE=LIVE`
 */
export function paidWordsRule(mode: string): string {
  return `is required with ${mode}: ask the service which words mean paid`;
}
