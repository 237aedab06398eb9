import { randomUUID } from 'node:crypto';
import { problemOf, type CreateOverrides } from '../backend-client.ts';
import { readCheckout, summarize, type Check, type Group } from '../check.ts';
import { expect, NotRun } from '../violation.ts';
import { expectAccepted, expectInvalid, expectRefusal, goodBody, unknownMethodBody } from '../expect-refusal.ts';
import { opened } from './get-checkout.ts';
import { originChecks } from './origins.ts';

const key: Check = {
  id: 'request.key',
  clause: 'POST: Idempotency-Key: <uuid> (required)',
  rule: 'refuses a write whose Idempotency-Key is missing, empty, over 200 characters or not visible ASCII',
  fix: 'Answer 400 invalid_request before anything is done; a key that the database cuts collides with others.',
  run: (context) =>
    expectInvalid(
      context,
      [{ key: null }, { key: '' }, { key: 'k'.repeat(201) }, { key: 'a key' }, { key: 'cl\u00e9' }],
      400,
    ),
};

const json: Check = {
  id: 'request.json',
  clause: 'POST: the body',
  rule: 'refuses a body that is not a JSON object',
  fix: 'Answer 400 invalid_request; catch what the JSON parser throws, also for deep nesting and broken UTF-8.',
  run: (context) =>
    expectInvalid(
      context,
      ['', '{', 'null', '[]', '"text"', '{"payment_method_id":"pm_x"} x', '['.repeat(5000)]
        .map((body): CreateOverrides => ({ body }))
        .concat({ body: new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]) }),
      400,
    ),
};

const members: Check = {
  id: 'request.members',
  clause: 'POST: the body',
  rule: 'refuses members of the wrong type',
  fix: 'Check the body against the schema CreateInvoiceBody: strings are strings, amounts are decimal strings, replace is true or false.',
  async run(context) {
    for (const [, body] of wrongMembers(await goodBody(context)))
      await expectRefusal(context, body, 400, 'invalid_request');
  },
};

/** Bodies with one wrong member each, and the name of that member. */
const wrongMembers = (good: object): readonly (readonly [name: string, body: object])[] => [
  ['payment_method_id', {}],
  ['payment_method_id', { payment_method_id: 1 }],
  ['payment_method_id', { payment_method_id: '' }],
  ['payment_method_id', { payment_method_id: { $ne: null } }],
  ['replace', { ...good, replace: 'yes' }],
  ['amount', { ...good, amount: 100 }],
  ['amount', { ...good, amount: '1e3' }],
];

const detail: Check = {
  id: 'request.detail',
  clause: "Rules of HTTP: a body against the schema, 400 with the member's path in `detail`",
  rule: 'names the member that is wrong in `detail`',
  fix: 'Begin `detail` with the path of the first wrong member: "replace: must be true or false".',
  async run(context) {
    for (const [name, body] of wrongMembers(await goodBody(context))) {
      const exchange = await context.backend.create(context.checkout, body);
      const text = problemOf(exchange)?.detail ?? 'none';
      expect(text.includes(name), `\`detail\` with ${name}`, text, exchange);
    }
  },
};

const mediaType: Check = {
  id: 'request.media_type',
  clause: 'POST: JSON only',
  rule: 'refuses a body that is not application/json',
  fix: 'Answer 415 invalid_request: forms and text/plain are what pages of other sites can send unasked. Parameters such as charset are accepted.',
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

const large: Check = {
  id: 'request.large',
  clause: 'Rules of HTTP: a body over 16 KiB, 413',
  rule: 'refuses a body of one megabyte with an answer, not by closing the connection',
  fix: 'Read the body up to the limit and answer 413 invalid_request.',
  run: (context) => expectInvalid(context, [{ body: paddedBody(1_000_000) }], 413),
};

const limit: Check = {
  id: 'request.limit',
  clause: 'Rules of HTTP: a body over 16 KiB, 413',
  rule: 'accepts a body of 16 KiB, and refuses one that has a byte more',
  fix: 'Limit the body of a write to 16,384 bytes, counted as they arrive.',
  async run(context) {
    await expectAccepted(context, { body: paddedBody(maxBodyBytes) });
    await expectInvalid(context, [{ body: paddedBody(maxBodyBytes + 1) }], 413);
  },
};

/** The JSON of a write, with spaces after it up to a length in bytes. */
const paddedBody = (bytes: number): string => JSON.stringify(unknownMethodBody).padEnd(bytes);

const unknownMethod: Check = {
  id: 'request.unknown_method',
  clause: 'POST: 422 method_unavailable',
  rule: 'refuses a payment method that it does not offer',
  fix: 'Look payment_method_id up among the options of this checkout; answer 422 method_unavailable.',
  async run(context) {
    await opened(context);
    for (const payment_method_id of [`pm_${randomUUID()}`, 'x'])
      await expectRefusal(context, { payment_method_id }, 422, 'method_unavailable');
  },
};

const unavailableMethod: Check = {
  id: 'request.method_unavailable',
  clause: 'POST: 422 method_unavailable',
  rule: 'refuses a payment method that is not available',
  fix: 'Answer 422 method_unavailable when `available` is false.',
  async run(context) {
    const unavailable = (await opened(context)).seen.options.find(({ available }) => !available);
    if (unavailable === undefined) throw new NotRun('every payment option of this checkout is available');
    await expectRefusal(context, { payment_method_id: unavailable.id }, 422, 'method_unavailable');
  },
};

const nothingMade: Check = {
  id: 'request.nothing_made',
  clause: 'POST: a refused write does nothing',
  rule: 'creates no invoice for any of the refused writes',
  fix: 'Check the whole request before calling the invoice service.',
  async run(context) {
    await opened(context);
    const seen = await readCheckout(context);
    expect(seen.status === 'open' && seen.invoice === null, '"open", no invoice', summarize(seen));
  },
};

export const refusals: Group = {
  title: 'Refused requests',
  checkout: 'first',
  checks: [
    key,
    json,
    members,
    detail,
    mediaType,
    large,
    limit,
    unknownMethod,
    unavailableMethod,
    ...originChecks,
    nothingMade,
  ],
};
