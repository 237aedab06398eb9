import { randomUUID } from 'node:crypto';
import { NotRun } from '../check.ts';
import { describe } from '../exchange.ts';
import { checkout as checkoutSchema, type Checkout } from '../../protocol.ts';
import { createUntilKnown, firstMethod, look, usable, type Stage } from '../check-context.ts';

/** A checkout that has an invoice. */
export interface Scene {
  readonly seen: Checkout;
  readonly invoiceId: string;
  readonly key: string;
  readonly body: { readonly payment_method_id: string };
}

/** An invoice on a checkout, by the first method or (`replace`) by the second; or `NotRun`: other checks judge writes. */
export async function withInvoice(stage: Stage, checkout = stage.checkout, replace = false): Promise<Scene> {
  const before = await look(stage, checkout);
  const [first, second] = usable(await optionsOf(stage, checkout, before));
  const method = replace ? second : first;
  if (method === undefined) throw new NotRun('the checkout has too few payment options that can be used');
  const body = { payment_method_id: method.id, ...(replace && { replace }) };
  const key = randomUUID();
  const answer = await createUntilKnown(stage, body, key, checkout);
  const seen = checkoutSchema.safeParse(answer.json).data;
  const made = seen?.invoice;
  if (seen === undefined || !made || (answer.status !== 200 && answer.status !== 201))
    throw new NotRun(`no invoice could be created: ${describe(answer)}`);
  const { hooks } = stage.secrets;
  const hook = (await stage.sandbox().invoice(made.id)).url_config?.hook_url;
  if (hook !== undefined) hooks.add(hook);
  return { seen, invoiceId: made.id, key, body };
}

async function optionsOf({ backend }: Stage, checkout: string, before: Checkout): Promise<Checkout> {
  if (before.options.length > 0) return before;
  return checkoutSchema.safeParse((await backend.read(checkout, {}, '?options=1')).json).data ?? before;
}

/** The body of a first choice on a checkout. */
export async function choice(stage: Stage, checkout = stage.checkout): Promise<{ readonly payment_method_id: string }> {
  return { payment_method_id: firstMethod(await look(stage, checkout)).id };
}
