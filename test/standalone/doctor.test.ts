import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createSqliteStore } from '../../src/sqlite.ts';
import { toNodeListener } from '../../src/server.ts';
import { formatResults, runDoctor } from '../../src/standalone/doctor/run-doctor.ts';
import { findFreePort } from '../example-shops/example-shop.ts';
import { listen } from '../mounts/listen.ts';
import { startFakePostgres } from '../support/fake-postgres.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = temporaryFolder();
const widgetFolder = join(root, 'cdn');
mkdirSync(widgetFolder);
writeFileSync(join(widgetFolder, 'pay-invoice.js'), '');

const secrets = {
  INVOICE_ACCESS_TOKEN: 'secret-of-the-service',
  ADMIN_TOKEN: 'secret-of-the-admin-api-1234',
  OUTCOME_SECRET: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
};
const now = Date.UTC(2026, 10, 20, 10, 0, 0, 500);
const options = JSON.stringify({
  options: [
    { id: 'pm_1', code: 'sbp', type: 'SBP', name: 'SBP', available: true, limits: { min_amount: '1', max_amount: '2' }, banks: [] }, // prettier-ignore
  ],
});

interface ResponseOptions {
  readonly status?: number;
  readonly body?: string;
  readonly date?: number;
}

const respondWith =
  ({ status = 200, body = '', date = now }: ResponseOptions): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { date: new Date(date).toUTCString(), location: '/elsewhere' }).end(body);

interface Deviations {
  readonly service?: RequestListener;
  readonly site?: RequestListener;
  readonly receiver?: RequestListener;
  readonly variables?: Readonly<Record<string, string>>;
  readonly widget?: string;
}

async function startHttpServer(t: TestContext, listener: RequestListener): Promise<string> {
  const { endpoint, close } = await listen(createServer(listener), '');
  t.after(close);
  return endpoint;
}

const getLevel = ({ source }: RegExp): string => /^\^(\w*)/.exec(source)?.[1] ?? '';

let folderCount = 0;
const createFolderPath = (): string => join(root, String((folderCount += 1)));

/** Creates a folder with one file. */
function folderWith(name: string, content: string): string {
  const folder = createFolderPath();
  mkdirSync(folder);
  writeFileSync(join(folder, name), content);
  return folder;
}

/** Runs the doctor in a valid environment with the deviations. Resolves with a function that returns the results of a subject. */
async function runDoctorWith(t: TestContext, deviations: Deviations = {}): Promise<(subject: string) => string> {
  const service = deviations.service ?? respondWith({ body: options });
  const site = deviations.site ?? toNodeListener(new TestCheckoutServer().server);
  const receiver = deviations.receiver ?? respondWith({ status: 401 });
  const results = await runDoctor({
    variables: {
      ...secrets,
      INVOICE_BASE_URL: await startHttpServer(t, service),
      INVOICE_MODE: 'TEST',
      PUBLIC_URL: await startHttpServer(t, site),
      OUTCOME_URL: `${await startHttpServer(t, receiver)}/outcomes?key=secret-in-the-query`,
      DATA_DIR: createFolderPath(),
      ...deviations.variables,
    },
    widgetFolder: deviations.widget ?? widgetFolder,
    now: () => now,
  });
  const output = formatResults(results);
  for (const secret of [...Object.values(secrets), 'secret']) assert.ok(!output.includes(secret), output);
  return (subject) =>
    results
      .flatMap(({ level, subject: resultSubject, text }) => (resultSubject === subject ? [`${level} ${text}`] : []))
      .join('\n');
}

test('the doctor prints one ok line for each check in a valid environment', async (t) => {
  const lineOf = await runDoctorWith(t);
  const subjects = ['configuration', 'widget', 'service', 'token', 'clock', 'public URL', 'database', 'outcomes'];
  for (const subject of subjects) assert.match(lineOf(subject), /^ok [^\n]+$/, subject);
  assert.match(lineOf('service'), /payment methods: 1/);
});

test('the doctor warns of a database file that other users can read, as that of a restored backup', async (t) => {
  const folder = createFolderPath();
  mkdirSync(folder);
  const file = join(folder, 'checkouts.db');
  await (await createSqliteStore({ file })).close();
  const variables = { DATA_DIR: folder };
  assert.match((await runDoctorWith(t, { variables }))('database'), /^ok /);
  chmodSync(file, 0o644);
  assert.match((await runDoctorWith(t, { variables }))('database'), /^warn .*: chmod 600 \S+checkouts\.db\*$/);
  // The log has the last commits, and keeps its rights when the file gets others.
  chmodSync(file, 0o600);
  const store = await createSqliteStore({ file });
  await store.check(); // SQLite gives an empty log the rights of the file
  chmodSync(`${file}-wal`, 0o644);
  assert.match((await runDoctorWith(t, { variables }))('database'), /^warn /);
  await store.close();
  chmodSync(folder, 0o700);
  assert.match((await runDoctorWith(t, { variables }))('database'), /^ok /);
});

test('the doctor reports every invalid variable, and then sends no request', async (t) => {
  const fail: RequestListener = () => assert.fail('a request was sent');
  const variables = { PORT: 'x', ADMIN_TOKEN: 'short' };
  const lineOf = await runDoctorWith(t, { service: fail, site: fail, receiver: fail, variables });
  assert.deepEqual(lineOf('configuration').split('\n'), [
    'fail PORT must be a whole number from 0 to 65535',
    'fail ADMIN_TOKEN must have at least 24 characters; two tokens are separated by a space',
    'warn the other checks run when the configuration is right',
  ]);
});

const serviceSays = (status: number, body = '<html>'): Deviations => ({ service: respondWith({ status, body }) });
const clockAhead = (seconds: number): Deviations => ({
  service: respondWith({ body: options, date: now + seconds * 1000 }),
});
const siteSays = (status: number): Deviations => ({ site: respondWith({ status }) });
const trial = { variables: { TRIAL: '1', PUBLIC_URL: '', OUTCOME_URL: '' } };

/** What deviates, and the line of a subject. */
const deviating: readonly (readonly [title: string, Deviations, subject: string, RegExp])[] = [
  ['the files of the widget are missing', { widget: root }, 'widget', /^fail .* has no pay-invoice\.js/],
  ['the service answers with 401', serviceSays(401), 'token', /^fail the service refuses it with HTTP 401/],
  ['the service answers with 401', serviceSays(401), 'service', /^ok /],
  [
    'the service answers with 404',
    serviceSays(404),
    'service',
    /^fail .*HTTP 404: check the address in INVOICE_BASE_URL/,
  ],
  ['the service answers with 503', serviceSays(503), 'service', /^fail .*HTTP 503/],
  ['the service answers with 503', serviceSays(503), 'token', /^warn was not checked/],
  ['the service answers with 429', serviceSays(429), 'service', /^warn .*HTTP 429/],
  ['the service answers with a page', serviceSays(200), 'service', /^fail .*no payment options: check the address/],
  ['the service has no methods', serviceSays(200, '{ "options": [] }'), 'service', /^warn .*no payment methods/],
  ['the service has no methods', serviceSays(200, '{ "options": [] }'), 'token', /^ok/],
  ['the clock of the service is 4 s behind', clockAhead(-4), 'clock', /^ok/],
  ['the clock of the service is 30 s ahead', clockAhead(30), 'clock', /^warn is 30 s behind the service’s/],
  ['the clock of the service is 61 s behind', clockAhead(-61), 'clock', /^fail is 61 s ahead of/],
  ['the public URL answers with 200', siteSays(200), 'public URL', /^fail .*not from this server/],
  ['the public URL answers with 502', siteSays(502), 'public URL', /^warn .*start the server/],
  [
    'the host of the public URL has no address',
    { variables: { PUBLIC_URL: 'https://shop.invalid' } },
    'public URL',
    /^fail .*cannot be reached from here/,
  ],
  ['it is a trial', trial, 'service', /^warn a trial/],
  ['it is a trial', trial, 'token', /^$/],
  ['there is no receiver', trial, 'outcomes', /^warn OUTCOME_URL is not set/],
  [
    'the file of the database is not a database',
    { variables: { DATA_DIR: folderWith('checkouts.db', 'no database '.repeat(500)) } },
    'database',
    /^fail .*check DATA_DIR/,
  ],
  [
    'the folder of the database is a file',
    { variables: { DATA_DIR: join(folderWith('file', ''), 'file/data') } },
    'database',
    /^fail .*ENOTDIR.*: check DATA_DIR/,
  ],
];

for (const [title, deviations, subject, expected] of deviating)
  test(`the doctor reports ${getLevel(expected) || 'nothing'} for the ${subject} when ${title}`, async (t) => {
    assert.match((await runDoctorWith(t, deviations))(subject), expected);
  });

test('the doctor reports fail when the service or the receiver cannot be reached, and warns when the server does not run yet', async (t) => {
  const address = `http://127.0.0.1:${await findFreePort()}`;
  const variables = { INVOICE_BASE_URL: address, PUBLIC_URL: address, OUTCOME_URL: `${address}/outcomes` };
  const lineOf = await runDoctorWith(t, { variables });
  assert.match(lineOf('service'), /^fail .*cannot be reached \(ECONNREFUSED\)/);
  assert.match(lineOf('token'), /^warn was not checked/);
  assert.match(lineOf('outcomes'), /^fail .*cannot be reached \(ECONNREFUSED\)/);
  assert.match(lineOf('public URL'), /^warn nothing listens .*start the server/);
});

for (const [status, expected] of [
  [200, /^fail .*without a signature/],
  [301, /^fail .*redirects/],
  [404, /^warn .*check the path/],
  [405, /^ok .*refuses/],
  [500, /^fail .*HTTP 500/],
] as const)
  test(`the doctor reports ${getLevel(expected)} for a receiver that answers with ${status}, and sends it no outcome`, async (t) => {
    const methods: unknown[] = [];
    const receiver: RequestListener = (request, response) => {
      methods.push(request.method, request.headers['webhook-id']);
      respondWith({ status })(request, response);
    };
    assert.match((await runDoctorWith(t, { receiver }))('outcomes'), expected);
    assert.deepEqual(methods, ['GET', undefined]);
  });

test('the doctor checks the database without creating the file or its tables', async (t) => {
  const folder = createFolderPath();
  assert.match((await runDoctorWith(t, { variables: { DATA_DIR: folder } }))('database'), /has no tables yet/);
  assert.throws(() => readFileSync(join(folder, 'checkouts.db')), { code: 'ENOENT' });
  const store = await createSqliteStore({ file: join(folder, 'checkouts.db') });
  await store.close();
  assert.match((await runDoctorWith(t, { variables: { DATA_DIR: folder } }))('database'), /^ok .*no migration was run/);
});

test('the doctor reports fail when PostgreSQL cannot be reached, or is still starting', async (t) => {
  const url = `postgres://shop:secret@127.0.0.1:${await findFreePort()}/shop`;
  assert.match(
    (await runDoctorWith(t, { variables: { DATABASE_URL: url } }))('database'),
    /^fail .*ECONNREFUSED.*DATABASE_URL$/,
  );
  const postgres = await startFakePostgres();
  t.after(() => postgres.close());
  postgres.mode = 'starting';
  assert.match(
    (await runDoctorWith(t, { variables: { DATABASE_URL: postgres.url } }))('database'),
    /^fail .*DATABASE_URL$/,
  );
});
