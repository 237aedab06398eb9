import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import ts from 'typescript';
import { readEnvironment } from '../../src/standalone.ts';
import { readServerEnvironment } from '../../src/standalone/environment/server-environment.ts';
import { readFlags } from '../../src/tools/sandbox/command-line.ts';
import {
  createCheckoutServer,
  createInvoiceServiceClient,
  createMemoryStore,
  defaultLimits,
  defaultTiming,
  type Metrics,
} from '../../src/server.ts';
import { documentOf, documents } from './documents.ts';

// The names in documents are names of the code. They are compared with the running code or with its types.

const allTexts = documents.map(({ text }) => text).join('\n');
const findMatches = (text: string, pattern: RegExp): readonly string[] => [
  ...new Set([...text.matchAll(pattern)].map(([whole, part]) => part ?? whole)),
];

type Environment = Readonly<Record<string, string>>;

/** The result of a function that reads the environment, or its error, as text. */
function resultOf(read: (environment: Environment) => unknown, environment: Environment): string {
  try {
    return JSON.stringify(read(environment));
  } catch (error) {
    return String(error);
  }
}

/** Whether a function reads a variable. If so, an unusual value changes its result or its error. */
const readsVariable = (read: (environment: Environment) => unknown, name: string): boolean =>
  resultOf(read, {}) !== resultOf(read, { [name]: '\u0001' });

/** Variables of other programs, and names that are not variables. */
const namesOfOthers = new Set(['ACCESS_TOKEN', 'BANK_TRANSFER', 'CHROME_PATH', 'CUSTOM_ELEMENTS_SCHEMA', 'FC_PATH', 'FC_SEED', 'NEXT_RUNTIME', 'NODE_ENV', 'NODE_EXTRA_CA_CERTS', 'READING_UPDATE', 'WTR_BROWSERS']); // prettier-ignore

test('the example or the sandbox reads every environment variable that a document names', () => {
  for (const { path, text } of documents)
    for (const match of findMatches(text, /\b(?:[A-Z][A-Z\d]*_[A-Z\d_]+[A-Z\d])\b|`(?:PORT|HOST)`/g)) {
      const name = match.replaceAll('`', '');
      assert.ok(
        namesOfOthers.has(name) ||
          readsVariable(readServerEnvironment, name) ||
          readsVariable((environment) => readFlags([], environment), name),
        `${path} names ${name}`,
      );
    }
});

test('“Operations” explains every environment variable that the example reads', () => {
  const rows = documentOf('docs/operations.md')
    .text.split('\n')
    .filter((line) => line.startsWith('| `'));
  const variables = findMatches(
    readFileSync('src/standalone/environment/checkout-environment.ts', 'utf8'),
    /\b[A-Z][A-Z_]{3,}\b/g,
  ).filter((name) => readsVariable(readEnvironment, name));
  assert.ok(variables.length > 8, variables.join());
  for (const name of variables)
    assert.ok(
      rows.some((row) => row.split('|')[1]?.includes(`\`${name}\``)),
      name,
    );
});

test('the guide lists every entry of the package, and nothing else', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: Record<string, unknown> };
  const [, section = ''] = documentOf('docs/integrating.md').text.split('## Package entries');
  const listedEntries = findMatches(section, /^\| (.*?) \|/gm).flatMap((cell) => findMatches(cell, /`(.*?)`/g));
  const entries = Object.keys(exports).map((entry) => `pay-invoice${entry.slice(1)}`);
  assert.deepEqual([...listedEntries].sort(), entries.filter((entry) => !entry.endsWith('package.json')).sort());
});

/** The events that the server logs, by the types of the second arguments of its calls of `log`. */
function loggedEvents(): ReadonlySet<string> {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile('tsconfig.json', (path) => ts.sys.readFile(path)).config,
    ts.sys,
    process.cwd(),
  );
  const program = ts.createProgram(['src/server.ts'], options);
  const checker = program.getTypeChecker();
  const events = new Set<string>();
  const namesOf = (type: ts.Type): readonly string[] =>
    type.isUnion() ? type.types.flatMap(namesOf) : type.isStringLiteral() ? [type.value] : [];
  const expand = (node: ts.Expression): readonly string[] => {
    if (ts.isConditionalExpression(node)) return [...expand(node.whenTrue), ...expand(node.whenFalse)];
    if (!ts.isTemplateExpression(node)) return namesOf(checker.getTypeAtLocation(node));
    return node.templateSpans.reduce<readonly string[]>(
      (texts, { expression, literal }) =>
        texts.flatMap((text) => expand(expression).map((part) => `${text}${part}${literal.text}`)),
      [node.head.text],
    );
  };
  const visit = (node: ts.Node): void => {
    const isLog = ts.isCallExpression(node) && /(?:^|\.)log$/.test(node.expression.getText());
    const [, event] = isLog ? node.arguments : [];
    if (event !== undefined) for (const name of expand(event)) events.add(name);
    // A worker loop logs the failures of its rounds under its name.
    const isLoop = ts.isCallExpression(node) && node.expression.getText() === 'createWorkerLoop';
    const [, loop] = isLoop ? node.arguments : [];
    if (loop !== undefined) for (const name of expand(loop)) events.add(`${name}_failed`);
    ts.forEachChild(node, visit);
  };
  for (const file of program.getSourceFiles()) if (!file.fileName.includes('node_modules')) visit(file);
  return events;
}

test('the server logs every event that “Operations”, “Troubleshooting” or “Security” names', () => {
  const events = loggedEvents();
  assert.ok(events.size > 15, [...events].join());
  const [, table = ''] = documentOf('docs/operations.md').text.split('| event |');
  const listedEvents = findMatches(table.split('\n\n')[0] ?? '', /^\| (`.*?) \|/gm).flatMap((cell) =>
    findMatches(cell, /`(\w+)`/g),
  );
  assert.ok(listedEvents.length > 8);
  for (const event of listedEvents) assert.ok(events.has(event), `operations: ${event}`);
  const prefix = /^(?:amount|create|outcome|invoice_service|status|link|options)_(?!required|out_of_limits)/;
  for (const name of ['docs/troubleshooting.md', 'SECURITY.md'])
    for (const event of findMatches(documentOf(name).text, /`([a-z]+_[a-z_]+)`/g).filter((one) => prefix.test(one)))
      assert.ok(events.has(event), `${name}: ${event}`);
});

/** The metrics that a checkout server and its client of the invoice service register. */
function registeredMetrics(): ReadonlySet<string> {
  const names = new Set<string>();
  const register = (name: string): (() => void) => {
    names.add(name);
    return () => undefined;
  };
  const unused = (): never => assert.fail('the server calls the service only on a request');
  const metrics: Metrics = { counter: register, histogram: register, gauge: (name) => void names.add(name) };
  createCheckoutServer({
    service: { createInvoice: unused, fetchInvoices: unused, fetchPaymentOptions: unused },
    store: createMemoryStore(),
    endpoint: 'https://shop.example/checkout',
    mode: 'TEST',
    onOutcome: () => Promise.resolve(),
    metrics,
  });
  createInvoiceServiceClient({ baseUrl: 'https://invoices.example', token: 'token', metrics });
  return names;
}

test('the server registers every metric that a document names', () => {
  const names = registeredMetrics();
  const listedMetrics = findMatches(allTexts, /`(pay_invoice_[a-z\d_]+)`/g);
  assert.notEqual(listedMetrics.length, 0);
  for (const metric of listedMetrics) assert.ok(names.has(metric), metric);
});

test('every limit and time that a document names is an option with a default', () => {
  const limits = findMatches(allTexts, /`limits\.([a-zA-Z]+)`/g);
  const times = findMatches(allTexts, /`timing\.([a-zA-Z]+)`/g);
  assert.ok(limits.length > 3 && times.length > 5, `${limits.length} limits, ${times.length} times`);
  for (const name of limits) assert.ok(name in defaultLimits, `limits.${name}`);
  for (const name of times) assert.ok(name in defaultTiming, `timing.${name}`);
});
