import { randomUUID } from 'node:crypto';
import { sharedStep, expectCheckout, createInvoiceWithRetries, type Check, type CheckContext } from '../check.ts';
import { expect } from '../expect.ts';
import { createFirstInvoice, expectInvoice, readCurrentInvoiceId, findOtherMethod } from '../create-test-invoice.ts';
import { expectRefusal } from '../expect-refusal.ts';

const sameKeyCheck: Check = {
  id: 'invoice.same_key',
  clause: 'POST: 200, the same key: the same invoice again',
  rule: 'answers 200 and the same invoice to the same key',
  fix: 'Store the key with the invoice in the transaction that commits the intent.',
  async run(context) {
    const { body, key, invoiceId } = await createFirstInvoice(context);
    for (let times = 0; times < 2; times += 1)
      expectInvoice(await context.backend.create(context.capability, body, { key }), invoiceId, 200);
  },
};

const otherBodyCheck: Check = {
  id: 'invoice.key_other_body',
  clause: 'POST: 409 idempotency_mismatch',
  rule: 'refuses a key that was used before with another body',
  fix: 'Keep a digest of the body beside the key, and answer 409 idempotency_mismatch when it differs.',
  async run(context) {
    const { body, key, invoiceId } = await createFirstInvoice(context);
    const otherMethodBody = { payment_method_id: `${body.payment_method_id}_other` };
    for (const changedBody of [otherMethodBody, { ...otherMethodBody, replace: true }])
      await expectRefusal(context, changedBody, 409, 'idempotency_mismatch', { key });
    expect((await readCurrentInvoiceId(context)) === invoiceId, 'the same invoice as before', 'another invoice');
  },
};

const sameMethodCheck: Check = {
  id: 'invoice.same_method',
  clause: 'POST: 200, the same method while its invoice can be paid',
  rule: 'answers 200 and the same invoice to another key with the same method',
  fix: 'Before creating, find the current invoice of this method: a second tab must get the same invoice.',
  async run(context) {
    const { body, invoiceId } = await createFirstInvoice(context);
    expectInvoice(await context.backend.create(context.capability, body), invoiceId, 200);
  },
};

/** The identifier of a payment method other than that of the first invoice. */
async function findSecondMethod(context: CheckContext): Promise<string> {
  const { checkoutBefore, body } = await createFirstInvoice(context);
  return findOtherMethod(checkoutBefore, body);
}

const pendingInvoiceCheck: Check = {
  id: 'invoice.pending',
  clause: 'POST: 409 invoice_pending',
  rule: 'refuses another method while the invoice may still be paid',
  fix: 'Answer 409 invoice_pending unless `replace` is true.',
  async run(context) {
    const payment_method_id = await findSecondMethod(context);
    const { invoiceId } = await createFirstInvoice(context);
    for (const body of [{ payment_method_id }, { payment_method_id, replace: false }])
      await expectRefusal(context, body, 409, 'invoice_pending');
    expect((await readCurrentInvoiceId(context)) === invoiceId, 'the same invoice as before', 'another invoice');
  },
};

const replaceInvoice = sharedStep('the replacing invoice', async (context) => {
  const payment_method_id = await findSecondMethod(context);
  const { invoiceId } = await createFirstInvoice(context);
  const [key, body] = [randomUUID(), { payment_method_id, replace: true }];
  const checkout = expectCheckout(await createInvoiceWithRetries(context, body, key), 201, 200);
  expect(
    checkout.invoice !== null && checkout.invoice.id !== invoiceId,
    'a new invoice',
    checkout.invoice ? 'the old one' : 'none',
  );
  return { key, body, id: checkout.invoice.id, method: checkout.invoice.payment_method_id ?? payment_method_id };
});

const replaceCheck: Check = {
  id: 'invoice.replace',
  clause: 'POST: replace',
  rule: 'offers a new invoice when the payer asks to replace the old one',
  fix: 'With `replace` true create the invoice, offer it, and continue to poll the old one.',
  async run(context) {
    const { body, id, method } = await replaceInvoice(context);
    expect(method === body.payment_method_id, `an invoice of ${body.payment_method_id}`, `one of ${method}`);
    expect((await readCurrentInvoiceId(context)) === id, 'the new invoice in later reads', 'another invoice');
  },
};

const repeatedReplaceCheck: Check = {
  id: 'invoice.replace_again',
  clause: 'POST: 200, the same key: the same invoice again',
  rule: 'replaces the invoice only once when the same key is repeated',
  fix: 'Check the key before `replace`.',
  async run(context) {
    const { key, body, id } = await replaceInvoice(context);
    for (let times = 0; times < 2; times += 1)
      expectInvoice(await context.backend.create(context.capability, body, { key }), id, 200);
  },
};

/** Checks of repeated and conflicting writes. The first invoice stays the current one. */
export const repeatedWriteChecks: readonly Check[] = [
  sameKeyCheck,
  otherBodyCheck,
  sameMethodCheck,
  pendingInvoiceCheck,
];
/** Checks of writes with `replace`, after which another invoice is the current one. */
export const replacementChecks: readonly Check[] = [replaceCheck, repeatedReplaceCheck];
