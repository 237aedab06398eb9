import { callAdmin, type Checkout, type LinkedCheckout } from './admin-client.ts';
import { pathsToRedeliver } from './list-data.ts';
import type { Action } from './question-dialog.ts';

/** Does what the operator has confirmed, with the fields of his answer. Resolves with the link where it was asked for. */
export async function performAction(
  token: string,
  { name, path, invoice }: Action,
  fields: Readonly<Record<string, string>>,
): Promise<LinkedCheckout | undefined> {
  const paths = path === undefined ? await pathsToRedeliver(token) : [path];
  const before =
    name === 'check' && path !== undefined ? await callAdmin<Checkout>(token, path.slice(0, 2)) : undefined;
  const body = { ...fields, ...(invoice !== undefined && { invoice_id: invoice.external_id }) };
  let answer: LinkedCheckout | undefined;
  for (const eachPath of paths) answer = await callAdmin<LinkedCheckout>(token, eachPath, {}, body);
  if (before !== undefined && answer !== undefined && !isCheckedSince(before, answer))
    throw new DOMException('', 'not_answered');
  return name === 'link' ? answer : undefined;
}

/** Whether the service has answered a check: in an outage every invoice keeps the time of its last fetch. */
function isCheckedSince(before: Checkout, after: Checkout): boolean {
  const known = before.invoices.filter(({ id }) => id !== null);
  const timesOf = ({ invoices }: Checkout): string => invoices.map(({ checked_at: at }) => at ?? '').join(' ');
  return known.length === 0 || timesOf(before) !== timesOf(after);
}
