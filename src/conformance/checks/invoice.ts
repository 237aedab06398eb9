import { randomUUID } from 'node:crypto';
import { parseTimestamp } from '../../contract/timestamp.ts';
import type { Checkout } from '../../protocol.ts';
import { expect, fact, NotRun, type Check, type Group } from '../check.ts';
import { describe, type Exchange } from '../exchange.ts';
import {
  checkoutIn,
  createUntilKnown,
  expectProblem,
  firstMethod,
  look,
  summary,
  usable,
  type Stage,
} from '../stage.ts';

/** What the payer's first choice led to. */
interface Created {
  readonly before: Checkout;
  readonly tag: string;
  /** A read that was held back while the choice was made. */
  readonly held: Exchange;
  readonly key: string;
  readonly body: { readonly payment_method_id: string };
  readonly answer: Exchange;
  readonly seen: Checkout;
  readonly invoiceId: string;
}

const heldSeconds = 5;

const created = fact('the first invoice', async (stage): Promise<Created> => {
  const { backend, checkout, ports, tempo } = stage;
  const first = await backend.read(checkout);
  const before = checkoutIn(first, 200);
  if (before.status !== 'open') throw new NotRun(`it needs a fresh checkout, and this one is ${summary(before)}`);
  const body = { payment_method_id: firstMethod(before).id };
  const tag = first.headers.get('etag') ?? '"none"';
  const waiting = backend.read(checkout, { 'if-none-match': tag, prefer: `wait=${heldSeconds}` });
  await ports.sleep(tempo.pollMs);
  const key = randomUUID();
  const [answer, held] = await Promise.all([createUntilKnown(stage, body, key), waiting]);
  const seen = checkoutIn(answer, 201, 200);
  expect(seen.invoice !== null, 'an invoice in the answer', summary(seen));
  return { before, tag, held, key, body, answer, seen, invoiceId: seen.invoice.id };
});

async function offered(stage: Stage): Promise<string | undefined> {
  return (await look(stage)).invoice?.id;
}

/** A finding unless the answer is 200 (or 201 where it may be) with the invoice of that id. */
function expectInvoice(exchange: Exchange, id: string, ...statuses: readonly number[]): void {
  const seen = checkoutIn(exchange, ...statuses);
  expect(seen.invoice?.id === id, 'the same invoice', seen.invoice === null ? 'none' : 'another one');
}

const creates: Check = {
  id: 'invoice.created',
  clause: 'POST: 201 + the checkout',
  rule: 'creates an invoice of the chosen method and answers the pending checkout',
  mend: 'Commit the invoice, then answer 201 and the checkout with `status` "pending" and the invoice.',
  async run(stage) {
    const { seen, body, answer } = await created(stage);
    expect(
      answer.status === 201 || stage.backend.log.some(({ status }) => status === 202),
      'HTTP 201',
      describe(answer),
    );
    expect(seen.status === 'pending', '`status` "pending"', summary(seen));
    const method = seen.invoice?.payment_method_id ?? body.payment_method_id;
    expect(method === body.payment_method_id, `an invoice of ${body.payment_method_id}`, `one of ${method}`);
  },
};

const requisites: Check = {
  id: 'invoice.requisites',
  clause: 'The invoice: payment_url, nspk_url, sbp, card, bank_transfer',
  rule: 'gives the payer something to pay with',
  mend: "Carry the service's payment_url, nspk_url and requisites over as they are; leave out what it did not give.",
  async run(stage) {
    const { invoice } = (await created(stage)).seen;
    const ways = [invoice?.payment_url, invoice?.nspk_url, invoice?.sbp, invoice?.card, invoice?.bank_transfer];
    expect(
      ways.some((way) => way !== undefined),
      'a link or requisites',
      'neither',
    );
  },
};

const readBack: Check = {
  id: 'invoice.read',
  clause: 'GET: invoice',
  rule: 'shows the same invoice to every later read',
  mend: 'Keep the requisites with the checkout: reads, reloads and other tabs get the same ones.',
  async run(stage) {
    const { seen } = await created(stage);
    const later = await look(stage);
    const fixed = ({ invoice }: Checkout): string =>
      JSON.stringify([
        invoice?.id,
        invoice?.amount,
        invoice?.payment_url,
        invoice?.sbp,
        invoice?.card,
        invoice?.expires_at,
      ]);
    expect(later.status === 'pending', '`status` "pending"', summary(later));
    expect(fixed(later) === fixed(seen), 'the invoice as the write answered it', 'other values');
  },
};

const tagChanged: Check = {
  id: 'etag.changed',
  clause: 'GET: If-None-Match',
  rule: 'has another ETag once there is an invoice',
  mend: 'Put the status and the invoice into the digest of the ETag.',
  async run(stage) {
    const { tag } = await created(stage);
    checkoutIn(await stage.backend.read(stage.checkout, { 'if-none-match': tag }), 200);
  },
};

const pendingTag: Check = {
  id: 'etag.clock_pending',
  clause: 'GET: the ETag covers what the payer sees, not the clock fields',
  rule: 'keeps the ETag while an invoice only comes nearer to its deadline',
  mend: 'Leave expires_in_ms out of the digest.',
  async run(stage) {
    await created(stage);
    const tag = (await stage.backend.read(stage.checkout)).headers.get('etag') ?? '';
    await stage.ports.sleep(stage.tempo.tickMs);
    const exchange = await stage.backend.read(stage.checkout, { 'if-none-match': tag });
    expect(exchange.status === 304, 'HTTP 304', describe(exchange));
  },
};

const early: Check = {
  id: 'wait.early',
  clause: 'GET: Prefer: wait',
  rule: 'ends a held answer as soon as something changes',
  mend: 'Wake the waiting answers of a checkout when it changes; or ignore Prefer: wait.',
  async run(stage) {
    const { held, answer } = await created(stage);
    if (held.answeredAt <= answer.sentAt) return; // it does not hold answers
    const late = held.answeredAt - answer.answeredAt;
    expect(late <= stage.tempo.slackMs, 'the held answer soon after the change', `${Math.round(late)} ms later`);
    checkoutIn(held, 200);
  },
};

const countdown: Check = {
  id: 'invoice.countdown',
  clause: 'The invoice: expires_at, expires_in_ms',
  rule: 'counts expires_in_ms down by its own clock',
  mend: 'Compute expires_in_ms from expires_at and the time of each answer.',
  async run(stage) {
    const { seen } = await created(stage);
    if (seen.invoice?.expires_at === undefined) throw new NotRun('the invoice has no deadline');
    await stage.ports.sleep(stage.tempo.tickMs);
    const later = await look(stage);
    const passed = (parseTimestamp(later.server_time) ?? 0) - (parseTimestamp(seen.server_time) ?? 0);
    const counted = (seen.invoice.expires_in_ms ?? Number.NaN) - (later.invoice?.expires_in_ms ?? Number.NaN);
    expect(Math.abs(counted - passed) <= 1000 && counted > 0, `expires_in_ms less by ${passed}`, `by ${counted}`);
  },
};

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

const options: Check = {
  id: 'invoice.options',
  clause: 'GET: ?options=1',
  rule: 'gives the options while an invoice waits, when asked with ?options=1',
  mend: 'Fill `options` when the query says options=1: the payer goes back to the methods.',
  async run(stage) {
    await created(stage);
    const seen = checkoutIn(await stage.backend.read(stage.checkout, {}, '?options=1'), 200);
    expect(seen.options.length > 0, 'options', 'an empty list');
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

const wrongSecret: Check = {
  id: 'hook.wrong_secret',
  clause: 'POST hook: 404 for a secret that is not good',
  rule: 'answers 404 to a notification with a wrong secret',
  mend: 'Compare the secret in constant time and answer 404 not_found.',
  async run(stage) {
    await created(stage);
    for (const secret of [randomUUID(), 'x', stage.checkout])
      expectProblem(await stage.backend.notify(stage.checkout, secret, '{}'), [404], ['not_found']);
  },
};

export const invoice: Group = {
  title: 'Asking for requisites',
  checkout: 'first',
  checks: [
    creates,
    early,
    requisites,
    readBack,
    tagChanged,
    pendingTag,
    countdown,
    sameKey,
    otherBody,
    sameMethod,
    pending,
    options,
    wrongSecret,
    replace,
    replaceAgain,
  ],
};
