import { randomBytes } from 'node:crypto';
import { sharedStep, expectNotAllowed, expectProblem, type Check, type Group } from '../check.ts';
import { expect, NotRun } from '../violation.ts';
import type { Exchange } from '../backend-client.ts';

const clause = 'Errors: not_found, the same answer for every capability that opens nothing';

const unknownCapability = (): string => `chk_${randomBytes(24).toString('base64url')}`;

/** The answer to a well-formed capability that does not exist. */
const unknownAnswer = sharedStep('the answer to an unknown capability', async ({ backend }) => {
  const exchange = await backend.read(unknownCapability());
  expectProblem(exchange, [404], ['not_found']);
  return exchange;
});

/** The parts of an answer that must not differ between two unknown capabilities. */
function comparableParts({ status, headers, json }: Exchange): string {
  const body = typeof json === 'object' && json !== null ? { ...json, trace_id: undefined, instance: undefined } : json;
  const volatile = /^(date|age|x-.*id|.*-ray|.*ratelimit.*|set-cookie|keep-alive|connection|server-timing)$/;
  const names = [...headers.keys()].filter((name) => !volatile.test(name));
  return JSON.stringify([status, names.sort(), headers.get('content-type'), body]);
}

function expectSame(exchange: Exchange, unknown: Exchange, what: string): void {
  expectProblem(exchange, [404], ['not_found']);
  expect(
    comparableParts(exchange) === comparableParts(unknown),
    `the answer to ${what} as to an unknown capability`,
    'one that differs',
  );
}

/** The text with the case of each letter changed. A backend that ignores letter case would open the checkout by it. */
const inOtherCase = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()));

const unknown: Check = {
  id: 'capability.unknown',
  clause,
  rule: 'answers 404 not_found to a capability that does not exist',
  fix: 'Answer 404 with a problem document of the code not_found.',
  async run(context) {
    await unknownAnswer(context);
  },
};

const near: Check = {
  id: 'capability.near',
  clause,
  rule: 'answers 404 not_found to a capability that is shortened, lengthened, padded or in another letter case',
  fix: 'Compare the whole capability byte for byte; in SQL use a binary collation.',
  async run(context) {
    const { backend, checkout } = context;
    const body = checkout.slice(4);
    const variants: readonly (readonly [string, string])[] = [
      ['one that is cut', checkout.slice(0, -1)],
      ['one that is longer', `${checkout}A`],
      ['one with a space after it', `${checkout}%20`],
      ['one in another letter case', checkout.slice(0, 4) + inOtherCase(body)],
      ['one with % for any text', `${checkout.slice(0, 8)}%25`],
    ];
    const reference = await unknownAnswer(context);
    for (const [what, capability] of variants)
      if (capability !== checkout) expectSame(await backend.readRaw(capability), reference, what);
  },
};

const malformed: Check = {
  id: 'capability.malformed',
  clause,
  rule: 'gives a malformed capability the same answer as an unknown one',
  fix: 'Give malformed and unknown capabilities the same answer.',
  async run(context) {
    const reference = await unknownAnswer(context);
    for (const capability of ['x', 'chk_', '1', 'null', '%27%20or%201=1--', 'c'.repeat(500)])
      expectSame(await context.backend.readRaw(capability), reference, `"${capability.slice(0, 20)}"`);
    // Many web servers refuse these before they reach the backend.
    for (const capability of ['%FF%FE', `${context.checkout}%00`, 'chk_..%2F..%2Fx']) {
      const exchange = await context.backend.readRaw(capability);
      expect([400, 403, 404, 414].includes(exchange.status), 'HTTP 404 (or 400)', exchange);
    }
  },
};

const write: Check = {
  id: 'capability.write',
  clause,
  rule: 'gives a write and a notification with an unknown capability the same answer',
  fix: 'Look the capability up before the rest of the request is validated.',
  async run(context) {
    const { backend, checkout } = context;
    const body = { payment_method_id: 'pm_x' };
    for (const capability of [unknownCapability(), checkout.slice(0, -1), 'x'])
      expectProblem(await backend.create(capability, body), [404], ['not_found']);
    for (const capability of [unknownCapability(), checkout.slice(0, -1)])
      expectProblem(await backend.notify(capability, randomBytes(16).toString('hex'), '{}'), [404], ['not_found']);
  },
};

/** The most random bits that a text can have: by its length, and the smallest usual alphabet that has its characters. */
function bitsOf(text: string): number {
  const dashless = text.replace(/-/g, '');
  const perCharacter = /^[0-9a-f]+$/i.test(dashless) ? 4 : /^(?:[0-9a-z]+|[0-9A-Z]+)$/.test(text) ? 5 : 6;
  return (perCharacter === 4 ? dashless : text).length * perCharacter;
}

const entropy: Check = {
  id: 'capability.entropy',
  clause: 'The capability: at least 128 random bits',
  rule: 'creates capabilities that start with chk_ and have at least 128 random bits',
  fix: 'Create `chk_` and 22 or more characters from a cryptographic source (16 random bytes in base64url), never from the order number.',
  run({ capabilities }) {
    if (capabilities.size === 0) throw new NotRun('no checkout was opened');
    for (const capability of capabilities) {
      expect(capability.startsWith('chk_'), 'chk_ in front', `"${capability.slice(0, 4)}"`);
      const bits = bitsOf(capability.slice(4));
      expect(bits >= 128, '128 bits or more', `at most ${bits} in ${capability.length - 4} characters`);
    }
  },
};

const getOfInvoiceUrl: Check = {
  id: 'capability.address',
  clause: 'Rules of HTTP: another method on a known path, 405 with Allow',
  rule: 'refuses a GET of the URL to which invoices are posted',
  fix: 'Answer 405 and `Allow: POST, OPTIONS` to GET {checkout}/invoice: a GET must never create anything.',
  async run({ backend, checkout }) {
    expectNotAllowed(await backend.sendOther(checkout, '/invoice', { method: 'GET' }), 'POST');
  },
};

export const capability: Group = {
  title: 'The capability',
  checkout: 'first',
  checks: [unknown, near, malformed, write, entropy, getOfInvoiceUrl],
};
