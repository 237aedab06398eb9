import { randomUUID } from 'node:crypto';
import { sharedStep, checkoutIn, createUntilKnown, type Check, type CheckContext } from '../check.ts';
import { expect } from '../violation.ts';
import { firstInvoice, expectInvoice, currentInvoiceId, otherMethod } from '../create-test-invoice.ts';
import { expectRefusal } from '../expect-refusal.ts';

const sameKey: Check = {
  id: 'invoice.same_key',
  clause: 'POST: 200, the same key: the same invoice again',
  rule: 'answers 200 and the same invoice to the same key',
  fix: 'Store the key with the invoice in the transaction that commits the intent.',
  async run(context) {
    const { body, key, invoiceId } = await firstInvoice(context);
    for (let times = 0; times < 2; times += 1)
      expectInvoice(await context.backend.create(context.checkout, body, { key }), invoiceId, 200);
  },
};

const otherBody: Check = {
  id: 'invoice.key_other_body',
  clause: 'POST: 409 idempotency_mismatch',
  rule: 'refuses a key that was used before with another body',
  fix: 'Keep a digest of the body beside the key, and answer 409 idempotency_mismatch when it differs.',
  async run(context) {
    const { body, key, invoiceId } = await firstInvoice(context);
    const other = { payment_method_id: `${body.payment_method_id}_other` };
    for (const changed of [other, { ...other, replace: true }])
      await expectRefusal(context, changed, 409, 'idempotency_mismatch', { key });
    expect((await currentInvoiceId(context)) === invoiceId, 'the same invoice as before', 'another one');
  },
};

const sameMethod: Check = {
  id: 'invoice.same_method',
  clause: 'POST: 200, the same method while its invoice can be paid',
  rule: 'answers 200 and the same invoice to another key with the same method',
  fix: 'Before creating, find the current invoice of this method: a second tab must get the same one.',
  async run(context) {
    const { body, invoiceId } = await firstInvoice(context);
    expectInvoice(await context.backend.create(context.checkout, body), invoiceId, 200);
  },
};

/** The identifier of a payment method other than that of the first invoice. */
async function secondMethod(context: CheckContext): Promise<string> {
  const { before, body } = await firstInvoice(context);
  return otherMethod(before, body);
}

const pending: Check = {
  id: 'invoice.pending',
  clause: 'POST: 409 invoice_pending',
  rule: 'refuses another method while the invoice may still be paid',
  fix: 'Answer 409 invoice_pending unless `replace` is true.',
  async run(context) {
    const payment_method_id = await secondMethod(context);
    const { invoiceId } = await firstInvoice(context);
    for (const body of [{ payment_method_id }, { payment_method_id, replace: false }])
      await expectRefusal(context, body, 409, 'invoice_pending');
    expect((await currentInvoiceId(context)) === invoiceId, 'the same invoice as before', 'another one');
  },
};

const replaced = sharedStep('the replacing invoice', async (context) => {
  const payment_method_id = await secondMethod(context);
  const { invoiceId } = await firstInvoice(context);
  const [key, body] = [randomUUID(), { payment_method_id, replace: true }];
  const seen = checkoutIn(await createUntilKnown(context, body, key), 201, 200);
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
  fix: 'With `replace` true create the invoice, offer it, and continue to poll the old one.',
  async run(context) {
    const { body, id, method } = await replaced(context);
    expect(method === body.payment_method_id, `an invoice of ${body.payment_method_id}`, `one of ${method}`);
    expect((await currentInvoiceId(context)) === id, 'the new invoice in later reads', 'another one');
  },
};

const replaceAgain: Check = {
  id: 'invoice.replace_again',
  clause: 'POST: 200, the same key: the same invoice again',
  rule: 'replaces the invoice only once when the same key is repeated',
  fix: 'Check the key before `replace`.',
  async run(context) {
    const { key, body, id } = await replaced(context);
    for (let times = 0; times < 2; times += 1)
      expectInvoice(await context.backend.create(context.checkout, body, { key }), id, 200);
  },
};

/** Checks of repeated and conflicting writes. They keep the first invoice; those of `replacing` replace it. */
export const repeating: readonly Check[] = [sameKey, otherBody, sameMethod, pending];
export const replacing: readonly Check[] = [replace, replaceAgain];
