import { callAdmin, type LinkedCheckout } from './admin-client.ts';
import { pathsToRedeliver } from './list-data.ts';
import type { Action } from './question-dialog.ts';

/** Does what the operator has confirmed, with the fields of his answer. Resolves with the link where it was asked for. */
export async function performAction(
  token: string,
  { name, path, invoice }: Action,
  fields: Readonly<Record<string, string>>,
): Promise<LinkedCheckout | undefined> {
  const paths = path === undefined ? await pathsToRedeliver(token) : [path];
  const body = { ...fields, ...(invoice !== undefined && { invoice_id: invoice.external_id }) };
  let answer: LinkedCheckout | undefined;
  for (const eachPath of paths) answer = await callAdmin<LinkedCheckout>(token, eachPath, {}, body);
  return name === 'link' ? answer : undefined;
}
