import { randomUUID } from 'node:crypto';
import type { CreateOverrides } from '../backend-client.ts';
import {
  expectProblem,
  firstUsableOption,
  readCheckout,
  summarize,
  type Check,
  type Group,
  type CheckContext,
} from '../check.ts';
import { expect, NotRun } from '../violation.ts';
import { opened } from './get-checkout.ts';

const foreign = 'https://elsewhere.example';

/** A body that would be right if nothing else were wrong. */
async function goodBody(context: CheckContext): Promise<object> {
  return { payment_method_id: firstUsableOption((await opened(context)).seen).id };
}

/** Each sending is refused as an invalid request, with one of the statuses. */
async function refused(
  context: CheckContext,
  sendings: readonly CreateOverrides[],
  statuses: readonly number[],
): Promise<void> {
  const body = await goodBody(context);
  for (const sending of sendings)
    expectProblem(await context.backend.create(context.checkout, body, sending), statuses, ['invalid_request']);
}

const key: Check = {
  id: 'request.key',
  clause: 'POST: Idempotency-Key: <uuid> (required)',
  rule: 'refuses a write whose Idempotency-Key is missing, empty or too long',
  fix: 'Answer 400 invalid_request before anything is done; a key that the database cuts collides with others.',
  run: (context) => refused(context, [{ key: null }, { key: '' }, { key: 'k'.repeat(400) }], [400]),
};

const json: Check = {
  id: 'request.json',
  clause: 'POST: the body',
  rule: 'refuses a body that is not a JSON object',
  fix: 'Answer 400 invalid_request; catch what the JSON parser throws, also for deep nesting and broken UTF-8.',
  run: (context) =>
    refused(
      context,
      ['', '{', 'null', '[]', '"text"', '{"payment_method_id":"pm_x"} x', '['.repeat(5000)]
        .map((body): CreateOverrides => ({ body }))
        .concat({ body: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]) }),
      [400],
    ),
};

const members: Check = {
  id: 'request.members',
  clause: 'POST: the body',
  rule: 'refuses members of the wrong type',
  fix: 'Check the body against the schema CreateInvoiceBody: strings are strings, amounts are decimal strings, replace is true or false.',
  async run(context) {
    const good = await goodBody(context);
    const wrong = [
      {},
      { payment_method_id: 1 },
      { payment_method_id: '' },
      { payment_method_id: { $ne: null } },
      { ...good, replace: 'yes' },
      { ...good, amount: 100 },
      { ...good, amount: '1e3' },
    ];
    for (const body of wrong)
      expectProblem(await context.backend.create(context.checkout, body), [400], ['invalid_request']);
  },
};

const type: Check = {
  id: 'request.media_type',
  clause: 'POST: JSON only',
  rule: 'refuses a body that is not application/json',
  fix: 'Answer 415 invalid_request: forms and text/plain are what pages of other sites can send unasked.',
  run: (context) =>
    refused(
      context,
      ['text/plain', 'application/x-www-form-urlencoded', 'text/plain; application/json'].map((value) => ({
        headers: { 'content-type': value },
      })),
      [415, 400],
    ),
};

const large: Check = {
  id: 'request.large',
  clause: 'Errors: invalid_request (413)',
  rule: 'refuses a body of one megabyte with an answer, not by closing the connection',
  fix: 'Limit the body (16 KB is plenty) and answer 413 invalid_request.',
  async run(context) {
    const body = JSON.stringify({ ...(await goodBody(context)), padding: 'x'.repeat(1_000_000) });
    const exchange = await context.backend.create(context.checkout, {}, { body });
    expectProblem(exchange, [413, 400], ['invalid_request']);
  },
};

const unknownMethod: Check = {
  id: 'request.unknown_method',
  clause: 'POST: 422 method_unavailable',
  rule: 'refuses a payment method that it does not offer',
  fix: 'Look payment_method_id up among the options of this checkout; answer 422 method_unavailable.',
  async run(context) {
    await opened(context);
    for (const payment_method_id of [`pm_${randomUUID()}`, 'x'])
      expectProblem(
        await context.backend.create(context.checkout, { payment_method_id }),
        [422],
        ['method_unavailable'],
      );
  },
};

const unavailable: Check = {
  id: 'request.method_unavailable',
  clause: 'POST: 422 method_unavailable',
  rule: 'refuses a payment method that is not available',
  fix: 'Answer 422 method_unavailable when `available` is false.',
  async run(context) {
    const closed = (await opened(context)).seen.options.find(({ available }) => !available);
    if (closed === undefined) throw new NotRun('every payment option of this checkout is available');
    const exchange = await context.backend.create(context.checkout, { payment_method_id: closed.id });
    expectProblem(exchange, [422], ['method_unavailable']);
  },
};

const crossSite: Check = {
  id: 'request.cross_site',
  clause: 'POST: writes from pages of other sites',
  rule: 'refuses a write that a page of another site sends',
  fix: 'Compare Origin with your own and the listed ones, and refuse Sec-Fetch-Site: cross-site: 403 invalid_request.',
  run: (context) =>
    refused(
      context,
      [{ origin: foreign }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }].map((headers) => ({ headers })),
      [403],
    ),
};

const cors: Check = {
  id: 'request.cors',
  clause: 'CORS is an explicit list',
  rule: 'allows only pages of listed origins to read its answers',
  fix: 'Answer Access-Control-Allow-Origin only to listed origins: never *, never the echo of any Origin.',
  async run({ backend, checkout }) {
    const asked = { origin: foreign, 'access-control-request-method': 'POST' };
    const exchanges = [
      await backend.read(checkout, { origin: foreign }),
      await backend.other(checkout, '/invoice', { method: 'OPTIONS', headers: asked }),
    ];
    for (const exchange of exchanges) {
      const allowed = exchange.headers.get('access-control-allow-origin');
      expect(allowed !== '*' && allowed !== foreign, 'no access for an unlisted origin', `${allowed ?? ''} is let in`);
    }
  },
};

const nothingMade: Check = {
  id: 'request.nothing_made',
  clause: 'POST: a refused write does nothing',
  rule: 'creates no invoice for any of the refused writes',
  fix: 'Judge the whole request before the invoice service is asked.',
  async run(context) {
    await opened(context);
    const seen = await readCheckout(context);
    expect(seen.status === 'open' && seen.invoice === null, '"open", no invoice', summarize(seen));
  },
};

export const refusals: Group = {
  title: 'What it refuses',
  checkout: 'first',
  checks: [key, json, members, type, large, unknownMethod, unavailable, crossSite, cors, nothingMade],
};
