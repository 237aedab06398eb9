import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCheckoutServer, createMemoryStore, defaultLimits, defaultTiming } from '../../src/server.ts';
import { resolveSettings } from '../../src/server/invoice-client/invoice-service-client.ts';
import { optionNames } from '../../src/server/checkout-server-options.ts';
import { documentOf } from './documents.ts';

const { text } = documentOf('docs/server.md');
const rowsOf = (section: string): readonly (readonly string[])[] =>
  (text.split(`\n${section}\n`)[1]?.split(/\n(?:## |Durations|Maximum)/)[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| /, '')));

for (const [heading, prefix, defaults] of [
  ['Durations, in milliseconds:', 'timing', defaultTiming],
  ['Maximum numbers:', 'limits', defaultLimits],
] as const)
  test(`“The server library” lists each option of ${prefix} with its default, and no other option`, () => {
    const expected = Object.entries(defaults).map(([name, value]: [string, unknown]) => {
      const expectedCell = typeof value === 'number' ? value : JSON.stringify(value).replaceAll('"', '').replace('{', '{ ').replace('}', ' }').replaceAll(':', ': ').replace(',', ', '); // prettier-ignore
      return [`\`${prefix}.${name}\``, `\`${String(expectedCell)}\``];
    });
    assert.deepEqual(
      rowsOf(heading).map((cells) => cells.slice(0, 2)),
      expected,
    );
  });

test('“The server library” lists every option of the schema, and no other option', () => {
  const listedNames = rowsOf('## Options').flatMap(([cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  assert.deepEqual([...listedNames].sort(), [...optionNames].sort());
});

test('“The server library” lists the default rates of the client', () => {
  const { requestsPerSecond } = resolveSettings({ baseUrl: 'https://invoices.example', token: 'token' });
  const rates = Object.entries(requestsPerSecond).map(([operation, rate]) => `${operation}: ${rate}`);
  const row = rowsOf('## Options of the client').find(([cell]) => cell === '`requestsPerSecond`');
  assert.equal(row?.[1], `\`{ ${rates.join(', ')} }\``);
});

test('“The server library” lists every method of the server, and no other method', () => {
  const unused = (): never => assert.fail('the server calls the service only on a request');
  const server = createCheckoutServer({
    service: { createInvoice: unused, fetchInvoices: unused, fetchPaymentOptions: unused },
    store: createMemoryStore(),
    endpoint: 'https://shop.example/checkout',
    mode: 'TEST',
    onOutcome: () => Promise.resolve(),
  });
  const listedNames = rowsOf('## Calls').flatMap(([cell = '']) =>
    [...cell.matchAll(/`(\w+)\(/g)].map(([, name]) => name),
  );
  assert.deepEqual([...listedNames].sort(), Object.keys(server).sort());
});
