import { randomUUID } from 'node:crypto';
import { expect, fact, NotRun, type Check } from '../check.ts';
import { checkoutIn, createUntilKnown, expectProblem, usable, type Stage } from '../check-context.ts';
import { created, expectInvoice, offered } from './first-invoice.ts';

const sameKey: Check = {
  id: 'invoice.same_key',
  clause: 'POST: 200, the same key: the same invoice again',
  rule: 'answers 200 and the same invoice to the same key',
  mend: 'Store the key with the invoice in the transaction that commits the intent.',
  async run(stage) {
    const { body, key, invoiceId } = await created(stage);
    for (let times = 0; times < 2; times += 1)
      expectInvoice(await stage.backend.create(stage.checkout, body, { key }), invoiceId, 200);
  },
};

const otherBody: Check = {
  id: 'invoice.key_other_body',
  clause: 'POST: 409 idempotency_mismatch',
  rule: 'refuses a key that came before with another body',
  mend: 'Keep a digest of the body beside the key, and answer 409 idempotency_mismatch when it differs.',
  async run(stage) {
    const { body, key, invoiceId } = await created(stage);
    const other = { payment_method_id: `${body.payment_method_id}_other` };
    for (const changed of [other, { ...other, replace: true }])
      expectProblem(await stage.backend.create(stage.checkout, changed, { key }), [409], ['idempotency_mismatch']);
    expect((await offered(stage)) === invoiceId, 'the same invoice as before', 'another one');
  },
};

const sameMethod: Check = {
  id: 'invoice.same_method',
  clause: 'POST: 200, the same method while its invoice is alive',
  rule: 'answers 200 and the same invoice to another key with the same method',
  mend: 'Before creating, look for a living invoice of this method: a second tab must get the same one.',
  async run(stage) {
    const { body, invoiceId } = await created(stage);
    expectInvoice(await stage.backend.create(stage.checkout, body), invoiceId, 200);
  },
};

/** A second method for which the first invoice stands in the way. */
async function secondMethod(stage: Stage): Promise<string> {
  const { before, body } = await created(stage);
  const other = usable(before).find(({ id }) => id !== body.payment_method_id);
  if (other === undefined) throw new NotRun('the checkout has only one payment option that can be used');
  return other.id;
}

const pending: Check = {
  id: 'invoice.pending',
  clause: 'POST: 409 invoice_pending',
  rule: 'refuses another method while the invoice may still be paid',
  mend: 'Answer 409 invoice_pending unless `replace` is true.',
  async run(stage) {
    const payment_method_id = await secondMethod(stage);
    const { invoiceId } = await created(stage);
    for (const body of [{ payment_method_id }, { payment_method_id, replace: false }])
      expectProblem(await stage.backend.create(stage.checkout, body), [409], ['invoice_pending']);
    expect((await offered(stage)) === invoiceId, 'the same invoice as before', 'another one');
  },
};

const replaced = fact('the invoice that replaces it', async (stage) => {
  const payment_method_id = await secondMethod(stage);
  const { invoiceId } = await created(stage);
  const [key, body] = [randomUUID(), { payment_method_id, replace: true }];
  const seen = checkoutIn(await createUntilKnown(stage, body, key), 201, 200);
  expect(
    seen.invoice !== null && seen.invoice.id !== invoiceId,
    'a new invoice',
    seen.invoice ? 'the old one' : 'none',
  );
  return { key, body, id: seen.invoice.id, method: seen.invoice.payment_method_id ?? payment_method_id };
});

const replace: Check = {
  id: 'invoice.replace',
  clause: 'POST: replace',
  rule: 'offers a new invoice when the payer asks to replace the old one',
  mend: 'With `replace` true create the invoice, offer it, and go on watching the old one.',
  async run(stage) {
    const { body, id, method } = await replaced(stage);
    expect(method === body.payment_method_id, `an invoice of ${body.payment_method_id}`, `one of ${method}`);
    expect((await offered(stage)) === id, 'the new invoice in later reads', 'another one');
  },
};

const replaceAgain: Check = {
  id: 'invoice.replace_again',
  clause: 'POST: 200, the same key: the same invoice again',
  rule: 'replaces once, however often the same key comes',
  mend: 'Judge the key before `replace`.',
  async run(stage) {
    const { key, body, id } = await replaced(stage);
    for (let times = 0; times < 2; times += 1)
      expectInvoice(await stage.backend.create(stage.checkout, body, { key }), id, 200);
  },
};

/** Writes that come again, and writes that stand in each other's way. */
export const repeating: readonly Check[] = [sameKey, otherBody, sameMethod, pending];
export const replacing: readonly Check[] = [replace, replaceAgain];
