import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { transform } from 'esbuild';
import { checkout, checkoutInvoice } from '../../src/checkout-api.ts';
import type { CheckoutErrorCode } from '../../src/core.ts';
import { en } from '../../src/locales/en.ts';
import { ru } from '../../src/locales/ru.ts';
import { createInvoiceServiceClient, createMetrics } from '../../src/server.ts';
import { defaultLimits, defaultTiming } from '../../src/server-internals.ts';
import { optionNames } from '../../src/server/checkout-server-options.ts';
import { resolveSettings } from '../../src/server/invoice-client/invoice-service-client.ts';
import { operations } from '../../src/service-api.ts';
import { readServerEnvironment } from '../../src/standalone/environment/server-environment.ts';
import { readFlags } from '../../src/tools/sandbox/command-line.ts';
import { faultKinds } from '../../src/tools/sandbox/faults/fault-kinds.ts';
import { createMerchantBackend } from '../mounts/merchant-backend.ts';
import { documentOf, documents, findMatches } from './documents.ts';

// The names, tables and samples in documents are those of the code. They are compared with the running code or with its text.
const allTexts = documents.map(({ text }) => text).join('\n');
const blocksOf = (language: string) =>
  documents.flatMap(({ blocks }) => blocks.filter((block) => block.language === language));

const samples = documentOf('docs/checkout-api.md').blocks.filter(({ language }) => language === 'jsonc');
test('each JSON sample of the checkout API matches its schema and has all of its members', () => {
  assert.equal(samples.length, 2);
  for (const [index, schema] of [checkout, checkoutInvoice].entries()) {
    const sample: unknown = JSON.parse(samples[index]?.code.replaceAll(/\/\*.*?\*\/|(?<=\s)\/\/ ?.*/g, '') ?? '');
    schema.parse(sample);
    assert.deepEqual(Object.keys(Object(sample) as object).sort(), Object.keys(schema.shape).sort());
  }
});

test('the sandbox’s page lists exactly the faults that the sandbox accepts', () => {
  const rows = documentOf('docs/sandbox.md').text.matchAll(/^\| `(\w+)` +\|([^|\n]+)\|([^|\n]+)\|([^|\n]*)\|$/gm);
  const expected = faultKinds.map(({ kind, description, operations: names, members }) => [
    kind,
    description,
    names.length === operations.length ? 'all' : names.join(', '),
    members.map((name) => `\`${name}\``).join(', '),
  ]);
  assert.deepEqual(
    [...rows].map(([, ...cells]) => cells.map((cell) => cell.trim())),
    expected,
  );
});

/** The cells of the rows of a table of “The server library” that begin with code. */
const rowsOf = (section: string): readonly (readonly string[])[] =>
  (
    documentOf('docs/server.md')
      .text.split(`\n${section}\n`)[1]
      ?.split(/\n(?:## |Durations|Maximum)/)[0] ?? ''
  )
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| /, '')));
const namesIn = (section: string, pattern: RegExp): readonly string[] =>
  rowsOf(section)
    .flatMap(([cell = '']) => findMatches(cell, pattern))
    .sort();

test('“The server library” lists the options with their defaults and the methods, and no others', async () => {
  for (const [heading, prefix, defaults] of [
    ['Durations, in milliseconds:', 'timing', defaultTiming],
    ['Maximum numbers:', 'limits', defaultLimits],
  ] as const)
    assert.deepEqual(
      rowsOf(heading).map(([name, value = '']) => [name, value.replaceAll(/[`{}\s]/g, '')]),
      Object.entries(defaults).map(([name, value]: [string, unknown]) => [
        `\`${prefix}.${name}\``,
        typeof value === 'number' ? String(value) : JSON.stringify(value).replaceAll(/["{}]/g, ''),
      ]),
    );
  assert.deepEqual(namesIn('## Options', /`(\w+)`/g), [...optionNames].sort());
  const { requestsPerSecond } = resolveSettings({ baseUrl: 'https://invoices.example', token: 'token' });
  const rates = Object.entries(requestsPerSecond).map(([operation, rate]) => `${operation}: ${rate}`);
  const row = rowsOf('## Options of the client').find(([cell]) => cell === '`requestsPerSecond`');
  assert.equal(row?.[1], `\`{ ${rates.join(', ')} }\``);
  const { checkouts } = createMerchantBackend();
  await checkouts.stop();
  assert.deepEqual(namesIn('## Calls', /`(\w+)\(/g), Object.keys(checkouts).sort());
});

test('every limit and time that a document names is an option with a default', () => {
  for (const name of findMatches(allTexts, /`limits\.([a-zA-Z]+)`/g)) assert.ok(name in defaultLimits, name);
  for (const name of findMatches(allTexts, /`timing\.([a-zA-Z]+)`/g)) assert.ok(name in defaultTiming, name);
});

/** What is quoted as a symptom, and is no text of the element: words of a buyer, and of Lit. */
const otherQuotes = ['I paid and nothing came', 'я заплатил, и ничего не пришло', 'Lit is in dev mode'];

test('“Troubleshooting” quotes as symptoms what the element says, in both languages', () => {
  const plain = (text: string): string => text.replaceAll('\u00a0', ' ');
  for (const [name, texts] of [
    ['docs/troubleshooting.md', en],
    ['docs/ru/troubleshooting.md', ru],
  ] as const) {
    const symptoms = findMatches(documentOf(name).text, /^\| ([^|]*) \|/gm).join('\n');
    const quotes = findMatches(symptoms, /[“«]([^“«”»]*)[”»]/g).filter((quote) => !otherQuotes.includes(quote));
    assert.ok(quotes.length > 8);
    const said = Object.values(texts).map((text) => plain(String(text)));
    for (const quote of quotes) assert.ok(said.includes(plain(quote)), quote);
  }
});

type Environment = Readonly<Record<string, string>>;
type Read = (environment: Environment) => unknown;

/** The result of a function that reads the environment, or its error, as text. */
function resultOf(read: Read, environment: Environment): string {
  try {
    return JSON.stringify(read(environment));
  } catch (error) {
    return String(error);
  }
}

/** Whether a function reads a variable. If so, an unusual value changes its result or its error. */
const readsVariable = (read: Read, name: string): boolean =>
  resultOf(read, {}) !== resultOf(read, { [name]: '\u0001' });

/** Variables of other programs, and names that are not variables. */
const namesOfOthers = new Set(['ACCESS_TOKEN', 'BANK_TRANSFER', 'CHROME_PATH', 'CUSTOM_ELEMENTS_SCHEMA', 'FC_RUNS', 'HTTPS_PROXY', 'NEXT_RUNTIME', 'NODE_ENV', 'NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'NODE_USE_ENV_PROXY', 'NO_PROXY', 'OTEL_PROPAGATORS', 'READING_UPDATE', 'WTR_BROWSERS']); // prettier-ignore

test('the server or the sandbox reads every variable that a document names, and “Operations” explains those of the server', () => {
  for (const name of findMatches(allTexts, /\b([A-Z][A-Z\d]*_[A-Z\d_]+[A-Z\d]|PORT|HOST)\b/g))
    assert.ok(
      namesOfOthers.has(name) ||
        readsVariable(readServerEnvironment, name) ||
        readsVariable((environment) => readFlags([], environment), name),
      name,
    );
  const source = readFileSync('src/standalone/environment/checkout-environment.ts', 'utf8');
  const variables = findMatches(source, /\b([A-Z][A-Z_]{3,})\b/g);
  const explained =
    documentOf('docs/operations.md')
      .text.match(/^\| `.*?\|/gm)
      ?.join('') ?? '';
  for (const name of variables.filter((one) => readsVariable(readServerEnvironment, one)))
    assert.ok(explained.includes(`\`${name}\``), name);
});

test('the README has at most 200 lines', () => {
  assert.ok(documentOf('README.md').text.split('\n').length <= 200);
});

test('the README says for whom each entry of the package is, and names nothing else', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, unknown> };
  const [, section = ''] = documentOf('README.md').text.split('## What to import');
  const [table = ''] = section.split('\n## ');
  const listed = findMatches(table, /`(pay-invoice(?:\/[^`]*)?)`/g);
  assert.deepEqual(
    [...listed].sort(),
    Object.keys(exports)
      .map((entry) => `pay-invoice${entry.slice(1)}`)
      .sort(),
  );
});

test('each shop of “Frameworks” delivers on paid, and reports every outcome that needs a person', () => {
  const handlers = documentOf('docs/frameworks.md').blocks.filter(({ code }) => code.includes('onOutcome:'));
  assert.notEqual(handlers.length, 0);
  for (const { code, place } of handlers)
    assert.match(code, /kind === 'paid'[^]*!\['failed', 'expired', 'resolved'\]\.includes\(kind\)/, place);
});

test('the source has every event of the log that “Operations”, “Troubleshooting” or “Security” names', () => {
  const source = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(`src/${name}`, 'utf8'))
    .join('\n');
  const [, ...tables] = documentOf('docs/operations.md').text.split('| event |');
  const listed = tables
    .flatMap((table) => findMatches(table.split('\n\n')[0] ?? '', /^\| (`[^|]*) \|/gm))
    .flatMap((cell) => findMatches(cell, /`([a-z_]{5,})`/g));
  const prefix = /^(?:amount|create|outcome|invoice_service|status|link|options)_(?!required|out_of_limits)/;
  const others = ['docs/troubleshooting.md', 'SECURITY.md'].flatMap((name) =>
    findMatches(documentOf(name).text, /`([a-z]+_[a-z_]+)`/g).filter((one) => prefix.test(one)),
  );
  assert.ok(listed.length > 25 && others.length > 8);
  // Some names have their kind, or the name of their worker, from a variable.
  for (const event of [...listed, ...others])
    assert.ok(
      [event, event.replace(/^(?:create|outcome)_/, ''), event.replace(/_failed$/, '')].some((name) =>
        source.includes(`'${name}'`),
      ),
      event,
    );
});

test('the server registers every metric that a document names', async () => {
  const names = new Set<string>();
  const add = (name: string) => {
    names.add(name);
    return () => undefined;
  };
  const metrics = { ...createMetrics(), counter: add, histogram: add, gauge: add };
  const { checkouts } = createMerchantBackend({ metrics });
  await checkouts.stop();
  createInvoiceServiceClient({ baseUrl: 'https://invoices.example', token: 'token', metrics });
  for (const metric of findMatches(allTexts, /`(pay_invoice_[a-z\d_]+)`/g)) assert.ok(names.has(metric), metric);
});

const element = readFileSync('src/view/pay-invoice-element.ts', 'utf8');
const namesInJsdoc = (tag: string): readonly string[] =>
  findMatches(element, new RegExp(`^ \\* @${tag} (?:\\{\\w+\\} )?\\[?([\\w-]+)`, 'gm'));

test('documents name parts, custom properties, slots, events, attributes and texts that the element has', () => {
  for (const [pattern, tag] of [
    [/::part\(([\w-]+)\)/g, 'csspart'],
    [/(--pay-invoice-[\w-]+)/g, 'cssprop'],
    [/slot="([\w-]+)"/g, 'slot'],
    [/addEventListener\('(pay-invoice-[\w-]+)'/g, 'fires'],
  ] as const)
    for (const name of findMatches(allTexts, pattern)) assert.ok(namesInJsdoc(tag).includes(name), `${tag} ${name}`);
  for (const block of findMatches(allTexts, /\.messages = \{\n([^}]*)\}/g))
    for (const name of findMatches(block, /^ *(\w+):/gm)) assert.ok(name in en, `the text ${name}`);
  for (const { code } of blocksOf('html'))
    for (const attributes of findMatches(code, /<pay-invoice([^>]*)>/g))
      for (const name of findMatches(attributes, / ([\w-]+)(?:=|$)/g))
        assert.match(element, new RegExp(`^    (?:${name}: |\\w+: \\{ attribute: '${name}')`, 'm'));
});

/** Each code once: the compiler refuses a list that lacks one. */
const errorCodes: Readonly<Record<CheckoutErrorCode, true>> = {
  not_found: true,
  invalid_request: true,
  invoice_pending: true,
  already_paid: true,
  checkout_closed: true,
  idempotency_mismatch: true,
  method_unavailable: true,
  amount_out_of_limits: true,
  amount_required: true,
  rate_limited: true,
  try_again: true,
  internal: true,
  network: true,
  timeout: true,
  malformed: true,
  amount_mismatch: true,
  requisites_suspect: true,
  unsafe_link: true,
  qr_failed: true,
  second_copy: true,
};

test('“Troubleshooting” explains exactly the codes of errors that the element reports', () => {
  const [, section = ''] = documentOf('docs/troubleshooting.md').text.split('### Errors that the element reports');
  const [table = ''] = section.split('\n#');
  const codes = findMatches(table, /^\| (`.*?) \|/gm).flatMap((cell) => findMatches(cell, /`(\w+)`/g));
  assert.deepEqual(codes.sort(), Object.keys(errorCodes).sort());
});

test('the styles in documents are valid CSS', async () => {
  for (const { place, code } of blocksOf('css')) {
    const { warnings } = await transform(code, { loader: 'css' });
    assert.deepEqual(warnings, [], place);
  }
});
