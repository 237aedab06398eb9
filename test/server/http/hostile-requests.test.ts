import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { problem } from '../../../src/checkout-api.ts';
import { endpoint, TestCheckoutServer } from '../../support/test-checkout-server.ts';
import { holds } from '../../support/property-tests.ts';

// Hostile requests to a server with two checkouts. The sender has the capability of the first checkout only.

const requestsPerServer = 20;
/** Texts that no response may contain: internal texts, and data of the second checkout. None is so short that a random id has it. */
const forbiddenTexts = [
  'FOREIGN',
  'order-77',
  '    at ',
  'node:',
  'file:',
  '/src/',
  'node_modules',
  'Error:',
  'ZodError',
];

interface Shop {
  readonly harness: TestCheckoutServer;
  readonly secrets: readonly string[];
}

async function openShop(): Promise<Shop> {
  const limits = { createsOfCheckout: { burst: 1000, perMinute: 1000 } };
  const harness = await TestCheckoutServer.open({}, { limits, allowedOrigins: ['https://m.shop.example'] });
  const foreign = { orderId: 'order-77', amount: '77.00', description: 'FOREIGN DESCRIPTION' };
  const otherId = await harness.createCheckout(foreign);
  const records = await Promise.all([harness.id, otherId].map(async (id) => harness.store.load(id)));
  const hookSecrets = records.flatMap((record) => record?.hookSecret ?? []);
  return { harness, secrets: [harness.capabilityOf(otherId), ...hookSecrets] };
}

function assertContainsNone(text: string, words: readonly string[]): void {
  // ETags and identifiers are random, and may contain any short word.
  const withoutRandom = text.replaceAll(/W\/"[\w-]{22}"|\b(chk|att|inv)_[\w-]{16,}/g, '');
  const textFor = (word: string): string => (word.length < 16 ? withoutRandom : text);
  for (const word of words)
    assert.ok(!textFor(word).includes(word), `${JSON.stringify(word)} is in ${text.slice(0, 1000)}`);
}

const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.json(),
  fc.constantFrom('__proto__', 'constructor', 'toString', '../../', '..%2f', '%00', '%', '%E0%A4%A', '\r\n', '\ud800'),
  fc.constantFrom('9'.repeat(400), '-0', '1e999', '0x10', 'NaN', ' ', '\u202e', '"', "'; drop table", 'a'.repeat(9000)),
);
const encodedText = hostileText.map((text) =>
  encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '')).slice(0, 3000),
);
const rawHeaderText = hostileText.map((text) => text.replaceAll(/[^\x20-\x7e\x80-\xff]/g, '').trim());
const headerPair = fc.tuple(
  fc.constantFrom(
    ...['prefer', 'if-none-match', 'idempotency-key', 'origin', 'content-type', 'sec-fetch-site', 'content-encoding'],
    ...['content-length', 'transfer-encoding', 'host', 'x-forwarded-for', 'forwarded', 'cookie', 'authorization'],
    ...['x-http-method-override', 'access-control-request-method', 'range', 'expect', 'accept', 'te'],
  ),
  fc.oneof(
    encodedText,
    rawHeaderText,
    fc.constantFrom('application/json', 'application/json; charset=utf-16', 'gzip', 'wait=0', 'wait=9', 'wait="', '*'),
    fc.constantFrom('https://shop.example', 'https://m.shop.example', 'null', 'same-origin', 'cross-site', 'key-1'),
  ),
);

const hostileAmount = fc.oneof(fc.jsonValue(), fc.constantFrom('1500.00', '9'.repeat(500), '1e9', 1e308, -0, '١٥٠٠'));
const bodyMembers = fc.record(
  {
    payment_method_id: fc.oneof(fc.constantFrom<unknown>('pm_card', 'pm_sbp', '__proto__'), fc.jsonValue()),
    amount: hostileAmount,
    replace: fc.oneof(fc.boolean(), fc.jsonValue()),
    metadata: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
/** Bodies: JSON with a key that occurs twice, with keys of Object.prototype, or cut off. */
const bodyText = fc.oneof(
  bodyMembers.map((value) => JSON.stringify(value)),
  fc
    .tuple(bodyMembers, bodyMembers)
    .map(([first, second]) => `${JSON.stringify(first).slice(0, -1)},"x":0,${JSON.stringify(second).slice(1)}`),
  bodyMembers.map((value) => JSON.stringify(value).replace('{', '{"__proto__":{"replace":true},"constructor":{},')),
  fc.tuple(bodyMembers, fc.nat(40)).map(([value, cut]) => JSON.stringify(value).slice(0, -cut)),
  fc.constantFrom('{"payment_method_id":"pm_card"}', '{"payment_method_id":"pm_sbp","replace":true}'),
  fc.constantFrom(
    `${'['.repeat(2000)}${']'.repeat(2000)}`,
    `{"a":`.repeat(800),
    'null',
    '0',
    `"${'x'.repeat(20_000)}"`,
  ),
  hostileText,
);
const bodyBytes = fc.oneof(
  { weight: 4, arbitrary: bodyText.map((body) => new TextEncoder().encode(body)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  {
    weight: 1,
    arbitrary: fc.tuple(bodyText, fc.nat(200), fc.constantFrom(0xff, 0xc0, 0xed, 0x00)).map(([body, at, byte]) => {
      const broken = new TextEncoder().encode(body);
      if (broken.length > 0) broken[at % broken.length] = byte;
      return broken;
    }),
  },
);

const pathEnding = fc.oneof(
  fc.constantFrom('', '/invoice', '/invoice', '/hook/', `/hook/${'A'.repeat(24)}`, '?options=true', '?amount=1500.00'),
  encodedText.map((more) => `?amount=${more}`),
  encodedText.map((more) => `?options=${more}&options=true`),
  encodedText.map((more) => `/${more}`),
  encodedText,
);
const request = fc.record({
  method: fc.constantFrom('GET', 'GET', 'HEAD', 'POST', 'POST', 'POST', 'PUT', 'OPTIONS', 'DELETE', 'PATCH', 'BREW'),
  pathEnding,
  headers: fc.array(headerPair, { maxLength: 6 }),
  hasRequiredHeaders: fc.boolean(),
  body: bodyBytes,
});
type HostileRequest = typeof request extends fc.Arbitrary<infer T> ? T : never;

function buildRequest(
  { harness }: Shop,
  { method, pathEnding: ending, headers, hasRequiredHeaders, body }: HostileRequest,
): Request {
  const required = { 'content-type': 'application/json', 'idempotency-key': 'key-1' };
  const headersOfRequest = new Headers(hasRequiredHeaders ? required : {});
  for (const [name, value] of headers) headersOfRequest.append(name, value);
  const hasBody = !['GET', 'HEAD'].includes(method);
  return new Request(`${endpoint}/${harness.capability}${ending}`, {
    method,
    headers: headersOfRequest,
    ...(hasBody && { body: body.slice() }),
  });
}

test('no request is answered with 500, with a body that is not of the API, or with internal text', async () => {
  const attack = async (requests: readonly HostileRequest[]): Promise<void> => {
    const shop = await openShop();
    const { harness, secrets } = shop;
    for (const hostileRequest of requests) {
      const response = await harness.until(
        harness.server.handle(buildRequest(shop, hostileRequest), { address: '192.0.2.1' }),
      );
      const body = await response.text();
      assert.ok(response.status < 500 || response.status === 503, `${response.status} ${body}`);
      const isProblem = response.status >= 400 && hostileRequest.method !== 'HEAD';
      if (isProblem) assert.equal(response.headers.get('content-type'), 'application/problem+json');
      if (isProblem) assert.equal(problem.parse(JSON.parse(body)).status, response.status);
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assertContainsNone([body, ...[...response.headers].flat()].join('\n'), [...forbiddenTexts, ...secrets]);
    }
    assert.ok(!harness.loggedEvents().includes('internal'), 'there was no unexpected error');
    assertContainsNone(JSON.stringify(harness.logEntries), ['CANARY', 'FOREIGN', harness.capability, ...secrets]);
    assert.ok(harness.service.createRequests.every((request) => request.amount === '1500.00'));
    assert.ok(!('replace' in {}));
    await harness.until(harness.server.stop());
  };
  const batch = fc.array(request, { minLength: requestsPerServer, maxLength: requestsPerServer, size: 'max' });
  await holds(fc.asyncProperty(batch, attack), 10_000 / requestsPerServer);
});
