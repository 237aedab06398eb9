import { randomUUID } from 'node:crypto';
import { problemOf, type CreateOverrides } from '../backend-client.ts';
import { readCheckout, summarize, type Check, type CheckGroup } from '../check.ts';
import { expect, NotRun } from '../expect.ts';
import { expectAccepted, expectInvalid, expectRefusal, buildValidBody, unknownMethodBody } from '../expect-refusal.ts';
import { readOpenCheckout } from './get-checkout.ts';
import { crossOriginChecks } from './cross-origin-requests.ts';

const invalidKeyCheck: Check = {
  id: 'request.key',
  clause: 'POST: Idempotency-Key: <uuid> (required)',
  rule: 'refuses a write whose Idempotency-Key is missing, empty, over 200 characters or not visible ASCII',
  fix: 'Answer 400 invalid_request before anything is stored; a key that the database truncates collides with others.',
  run: (context) =>
    expectInvalid(
      context,
      [{ key: null }, { key: '' }, { key: 'k'.repeat(201) }, { key: 'a key' }, { key: 'cl\u00e9' }],
      400,
    ),
};

const invalidJsonCheck: Check = {
  id: 'request.json',
  clause: 'POST: the body',
  rule: 'refuses a body that is not a JSON object',
  fix: 'Answer 400 invalid_request; catch the errors of the JSON parser, also for deep nesting and invalid UTF-8.',
  run: (context) =>
    expectInvalid(
      context,
      ['', '{', 'null', '[]', '"text"', '{"payment_method_id":"pm_x"} x', '['.repeat(5000)]
        .map((body): CreateOverrides => ({ body }))
        .concat({ body: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]) }),
      400,
    ),
};

const wrongMembersCheck: Check = {
  id: 'request.members',
  clause: 'POST: the body',
  rule: 'refuses members of the wrong type',
  fix: 'Check the body against the schema CreateInvoiceBody: strings are strings, amounts are decimal strings, replace is true or false.',
  async run(context) {
    for (const [, body] of bodiesWithWrongMember(await buildValidBody(context)))
      await expectRefusal(context, body, 400, 'invalid_request');
  },
};

/** Bodies that each have one wrong or missing member, with the name of that member. */
const bodiesWithWrongMember = (validBody: object): readonly (readonly [name: string, body: object])[] => [
  ['payment_method_id', {}],
  ['payment_method_id', { payment_method_id: 1 }],
  ['payment_method_id', { payment_method_id: '' }],
  ['payment_method_id', { payment_method_id: { $ne: null } }],
  ['replace', { ...validBody, replace: 'yes' }],
  ['amount', { ...validBody, amount: 100 }],
  ['amount', { ...validBody, amount: '1e3' }],
];

const problemDetailCheck: Check = {
  id: 'request.detail',
  clause: "Rules of HTTP: a body against the schema, 400 with the member's path in `detail`",
  rule: 'names the member that is wrong in `detail`',
  fix: 'Begin `detail` with the path of the first wrong member: "replace: must be true or false".',
  async run(context) {
    for (const [name, body] of bodiesWithWrongMember(await buildValidBody(context))) {
      const exchange = await context.backend.create(context.capability, body);
      const text = problemOf(exchange)?.detail ?? 'none';
      expect(text.includes(name), `\`detail\` with ${name}`, text, exchange);
    }
  },
};

const mediaTypeCheck: Check = {
  id: 'request.media_type',
  clause: 'POST: JSON only',
  rule: 'refuses a body that is not application/json',
  fix: 'Answer 415 invalid_request: forms and text/plain are the types that pages of other sites can send without a preflight. Parameters such as charset are accepted.',
  async run(context) {
    const mediaTypes = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'text/plain; application/json',
      'application/jsonp',
    ];
    await expectInvalid(
      context,
      mediaTypes.map((value) => ({ headers: { 'content-type': value } })),
      415,
    );
    await expectAccepted(context, { headers: { 'content-type': 'application/json; charset=utf-8' } });
  },
};

/** The largest body of a write, in bytes. */
const maxBodyBytes = 16 * 1024;

const megabyteBodyCheck: Check = {
  id: 'request.large',
  clause: 'Rules of HTTP: a body over 16 KiB, 413',
  rule: 'answers 413 to a body of one megabyte instead of closing the connection',
  fix: 'Read the body up to the limit and answer 413 invalid_request.',
  run: (context) => expectInvalid(context, [{ body: paddedBody(1_000_000) }], 413),
};

const bodyLimitCheck: Check = {
  id: 'request.limit',
  clause: 'Rules of HTTP: a body over 16 KiB, 413',
  rule: 'accepts a body of 16 KiB, and refuses a body that is one byte longer',
  fix: 'Count the bytes of the body as they arrive, and refuse more than 16,384.',
  async run(context) {
    await expectAccepted(context, { body: paddedBody(maxBodyBytes) });
    await expectInvalid(context, [{ body: paddedBody(maxBodyBytes + 1) }], 413);
  },
};

/** The JSON of a write, padded with spaces to a length in bytes. */
const paddedBody = (bytes: number): string => JSON.stringify(unknownMethodBody).padEnd(bytes);

const unknownMethodCheck: Check = {
  id: 'request.unknown_method',
  clause: 'POST: 422 method_unavailable',
  rule: 'refuses a payment method that it does not offer',
  fix: 'Look payment_method_id up among the options of this checkout; answer 422 method_unavailable.',
  async run(context) {
    await readOpenCheckout(context);
    for (const payment_method_id of [`pm_${randomUUID()}`, 'x'])
      await expectRefusal(context, { payment_method_id }, 422, 'method_unavailable');
  },
};

const unavailableMethodCheck: Check = {
  id: 'request.method_unavailable',
  clause: 'POST: 422 method_unavailable',
  rule: 'refuses a payment method that is not available',
  fix: 'Answer 422 method_unavailable when `available` is false.',
  async run(context) {
    const unavailable = (await readOpenCheckout(context)).checkout.options.find(({ available }) => !available);
    if (unavailable === undefined) throw new NotRun('every payment option of this checkout is available');
    await expectRefusal(context, { payment_method_id: unavailable.id }, 422, 'method_unavailable');
  },
};

const noInvoiceCreatedCheck: Check = {
  id: 'request.nothing_made',
  clause: 'POST: a refused write does nothing',
  rule: 'creates no invoice for any of the refused writes',
  fix: 'Check the whole request before calling the invoice service.',
  async run(context) {
    await readOpenCheckout(context);
    const checkout = await readCheckout(context);
    expect(checkout.status === 'open' && checkout.invoice === null, '"open", no invoice', summarize(checkout));
  },
};

export const refusedRequestChecks: CheckGroup = {
  title: 'Refused requests',
  checkoutKind: 'first',
  checks: [
    invalidKeyCheck,
    invalidJsonCheck,
    wrongMembersCheck,
    problemDetailCheck,
    mediaTypeCheck,
    megabyteBodyCheck,
    bodyLimitCheck,
    unknownMethodCheck,
    unavailableMethodCheck,
    ...crossOriginChecks,
    noInvoiceCreatedCheck,
  ],
};
