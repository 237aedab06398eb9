import { randomBytes } from 'node:crypto';
import type { Exchange } from '../backend-client.ts';
import { check, sharedStep, type CheckGroup } from '../check.ts';
import { expect, expectMethodNotAllowed, expectProblem, NotRun } from '../expect.ts';

const createUnknownCapability = (): string => `chk_${randomBytes(24).toString('base64url')}`;

/** The response to a well-formed capability that does not exist. */
const readUnknownCapability = sharedStep('the response to an unknown capability', async ({ run: { backend } }) => {
  const exchange = await backend.read(createUnknownCapability());
  expectProblem(exchange, [404], ['not_found']);
  return exchange;
});

/** The parts of a response that must not differ between two unknown capabilities. */
function comparableParts({ status, headers, json }: Exchange): string {
  const body = typeof json === 'object' && json !== null ? { ...json, trace_id: undefined, instance: undefined } : json;
  const volatile = /^(date|age|x-.*id|.*-ray|.*ratelimit.*|set-cookie|keep-alive|connection|server-timing)$/;
  const names = [...headers.keys()].filter((name) => !volatile.test(name));
  return JSON.stringify([status, names.sort(), headers.get('content-type'), body]);
}

function expectSameAsUnknown(exchange: Exchange, unknownExchange: Exchange, capabilityKind: string): void {
  expectProblem(exchange, [404], ['not_found']);
  expect(
    comparableParts(exchange) === comparableParts(unknownExchange),
    `the response to ${capabilityKind} to equal that to an unknown capability`,
    'a different response',
  );
}

/** Swaps the case of each letter. A backend that ignores letter case would accept the result as the same capability. */
const swapLetterCase = (text: string): string =>
  text.replace(/[a-z]/gi, (letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()));

/** The most random bits that a text can have, from its length and the smallest usual alphabet that contains its characters. */
function maxRandomBits(text: string): number {
  const dashless = text.replace(/-/g, '');
  const bitsPerCharacter = /^[0-9a-f]+$/i.test(dashless) ? 4 : /^(?:[0-9a-z]+|[0-9A-Z]+)$/.test(text) ? 5 : 6;
  return (bitsPerCharacter === 4 ? dashless : text).length * bitsPerCharacter;
}

export const capabilityAccessChecks: CheckGroup = {
  title: 'Access by capability',
  checkoutKind: 'first',
  checks: [
    check(
      'capability.unknown',
      'answers 404 not_found to a capability that does not exist',
      'Answer 404 with a problem document of the code not_found.',
      readUnknownCapability,
    ),
    check(
      'capability.near',
      'answers 404 not_found to a capability that is shortened, lengthened, padded or in another letter case',
      'Compare the whole capability byte for byte; in SQL use a binary collation.',
      async (context) => {
        const { run, capability } = context;
        const variants: Readonly<Record<string, string>> = {
          'a shortened capability': capability.slice(0, -1),
          'a lengthened capability': `${capability}A`,
          'a capability with a space after it': `${capability}%20`,
          'a capability in another letter case': capability.slice(0, 4) + swapLetterCase(capability.slice(4)),
          'a capability whose end is the SQL wildcard %': `${capability.slice(0, 8)}%25`,
        };
        const unknownExchange = await readUnknownCapability(context);
        for (const [capabilityKind, variant] of Object.entries(variants))
          if (variant !== capability)
            expectSameAsUnknown(await run.backend.readRaw(variant), unknownExchange, capabilityKind);
      },
    ),
    check(
      'capability.malformed',
      'gives a malformed capability the same response as an unknown one',
      'Give malformed and unknown capabilities the same response.',
      async (context) => {
        const { backend } = context.run;
        const unknownExchange = await readUnknownCapability(context);
        for (const text of ['x', 'chk_', '1', 'null', '%27%20or%201=1--', 'c'.repeat(500)])
          expectSameAsUnknown(await backend.readRaw(text), unknownExchange, `"${text.slice(0, 20)}"`);
        // Many web servers refuse these capabilities before the request reaches the backend.
        for (const text of ['%FF%FE', `${context.capability}%00`, 'chk_..%2F..%2Fx']) {
          const exchange = await backend.readRaw(text, false);
          expect([400, 403, 404, 414].includes(exchange.status), 'HTTP 404 (or 400)', exchange);
        }
      },
    ),
    check(
      'capability.write',
      'answers 404 not_found to a write and a notification with an unknown capability',
      'Look the capability up before the rest of the request is validated.',
      async ({ run: { backend }, capability }) => {
        for (const text of [createUnknownCapability(), capability.slice(0, -1), 'x'])
          expectProblem(await backend.create(text, { payment_method_id: 'pm_x' }), [404], ['not_found']);
        for (const text of [createUnknownCapability(), capability.slice(0, -1)])
          expectProblem(await backend.notify(text, randomBytes(16).toString('hex'), '{}'), [404], ['not_found']);
      },
    ),
    check(
      'capability.entropy',
      'creates capabilities that start with chk_ and have at least 128 random bits',
      'Create `chk_` and 22 or more characters from a cryptographic source (16 random bytes in base64url), never from the order number.',
      ({ run: { usedCapabilities } }) => {
        if (usedCapabilities.size === 0) throw new NotRun('no checkout was opened');
        for (const capability of usedCapabilities) {
          expect(capability.startsWith('chk_'), 'the prefix chk_', `"${capability.slice(0, 4)}"`);
          const bits = maxRandomBits(capability.slice(4));
          expect(bits >= 128, '128 bits or more', `at most ${bits} bits in ${capability.length - 4} characters`);
        }
      },
    ),
    check(
      'capability.address',
      'refuses a GET of the URL to which invoices are posted',
      'Answer 405 and `Allow: POST, OPTIONS` to GET {checkout}/invoice: a GET must never create anything.',
      async ({ run: { backend }, capability }) => {
        expectMethodNotAllowed(await backend.sendOther(capability, '/invoice', { method: 'GET' }), 'POST');
      },
    ),
  ],
};
