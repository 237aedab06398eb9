import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { test, type TestContext } from 'node:test';
import { encodeQr } from '../../src/base/qr-encoder.ts';
import { drawQr } from '../../src/base/qr-modules.ts';
import { readServerEnvironment } from '../../src/standalone/environment/server-environment.ts';
import { createOutcomeHandler, startDailyPurge, startServer } from '../../src/standalone/start-server.ts';
import { makeOutcome } from '../support/make-checkout-records.ts';
import { WidgetMissingError } from '../../src/standalone/widget-files.ts';
import { adminToken } from '../support/buyer.ts';
import { listen } from '../mounts/listen.ts';
import { assertSameTime, FakeClock } from '../support/fake-clock.ts';
import { recordReads } from '../support/record-reads.ts';
import { startTestServer } from '../support/start-test-server.ts';
import { until } from '../support/wait-until.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const widgetFolder = join(folder, 'dist/cdn');
mkdirSync(widgetFolder, { recursive: true });
writeFileSync(join(widgetFolder, 'pay-invoice.js'), '');

const freePorts = { PORT: '0', SANDBOX_PORT: '0', METRICS_PORT: '0' };
const countListeners = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;

/** Asserts that a start rejects with `error` after the database was opened, and that nothing listens then. */
async function expectFailedStart(name: string, ports: Readonly<Record<string, string>>, widget: string, error: object) {
  const data = join(folder, name);
  const listenersBefore = countListeners();
  await assert.rejects(startServer(readServerEnvironment({ ...freePorts, ...ports, DATA_DIR: data }), widget), error);
  await until('no server listens', () => Promise.resolve(countListeners() <= listenersBefore));
  assert.ok(existsSync(join(data, 'checkouts.db')), 'the database was never opened');
}

test('a start without the widget leaves neither the sandbox nor a server listening', () =>
  expectFailedStart('widget', {}, join(folder, 'nothing'), WidgetMissingError));

test('a start on a port that another program uses leaves neither the sandbox nor a server listening', async () => {
  const { endpoint, close } = await listen(createServer(), '');
  try {
    await expectFailedStart('port', { PORT: new URL(endpoint).port }, widgetFolder, { code: 'EADDRINUSE' });
  } finally {
    await close();
  }
});

test('each variable that the server reads from the environment has an effect in it', async (t) => {
  const environment = readServerEnvironment({ ...freePorts, DATA_DIR: join(folder, 'variables') });
  const { read, recorded } = recordReads(environment);
  const server = await startServer(recorded, widgetFolder);
  t.after(() => server.close());
  await (await fetch(`${server.url}/checkout/chk_unknown`)).arrayBuffer(); // the number of proxies is read at a request
  assert.deepEqual(
    Object.keys(environment).filter((name) => !read.has(name)),
    [],
  );
});

async function freePort(): Promise<string> {
  const { endpoint, close } = await listen(createServer(), '');
  await close();
  return new URL(endpoint).port;
}

async function startTrial(t: TestContext, variables: Readonly<Record<string, string>>) {
  const server = await startTestServer({ DATA_DIR: mkdtempSync(join(folder, 'trial-')), ...variables });
  t.after(() => server.close());
  return server;
}

/** Sends a request whose target is not normalised, and resolves with the status. */
function getStatus(url: string, target: string): Promise<number | undefined> {
  const { hostname, port } = new URL(url);
  const headers = { authorization: `Bearer ${adminToken}` };
  return new Promise((resolve, reject) => {
    request({ hostname, port, path: target, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

test('the admin API answers to one spelling of its path', async (t) => {
  const { url } = await startTrial(t, {});
  assert.equal(await getStatus(url, '/admin/checkouts?order_id=1'), 200);
  for (const spelling of [
    '/./admin/checkouts',
    '/x/../admin/checkouts',
    '/%2e/admin/checkouts',
    '/x/%2E%2e/admin/checkouts',
    '/%61dmin/checkouts',
    '//admin/checkouts',
    '/checkout/../admin/checkouts',
    `${url}/admin/checkouts`,
  ])
    assert.equal(await getStatus(url, `${spelling}?order_id=1`), 404, spelling);
  assert.equal(await getStatus(url, '\\admin/checkouts?order_id=1'), 400);
});

for (const [TRUST_PROXY, statusOfOther] of [
  ['0', 429],
  ['1', 401],
] as const)
  test(`with TRUST_PROXY=${TRUST_PROXY} another address that the proxy reports is answered with ${statusOfOther} after many wrong tokens`, async (t) => {
    const { url } = await startTrial(t, { TRUST_PROXY });
    const statusOfWrongToken = async (forwardedFor: string): Promise<number> => {
      const headers = { authorization: 'Bearer wrong', 'x-forwarded-for': forwardedFor };
      return (await fetch(`${url}/admin/checkouts`, { headers })).status;
    };
    for (let n = 0; n < 10; n += 1) assert.equal(await statusOfWrongToken(`203.0.113.${n}, 10.0.0.1`), 401);
    assert.equal(await statusOfWrongToken('203.0.113.99, 10.0.0.1'), 429, 'what the client adds is ignored');
    assert.equal(await statusOfWrongToken('10.0.0.2'), statusOfOther);
  });

test('with ADMIN_PORT the admin API is on that port only, with the health of the process', async (t) => {
  const { url, admin } = await startTrial(t, { ADMIN_PORT: '0' });
  assert.ok(admin !== null && admin !== url);
  assert.equal(await getStatus(admin, '/admin/checkouts?order_id=1'), 200);
  assert.equal(await getStatus(url, '/openapi.json'), 404);
  assert.equal(await getStatus(admin, '/%61dmin/checkouts?order_id=1'), 404);
  assert.equal(await getStatus(admin, '/admin'), 200);
  assert.equal((await fetch(new URL('/admin/', admin))).url, new URL('/admin', admin).href);
  assert.equal(await getStatus(url, '/admin'), 404);
  assert.equal(await getStatus(admin, '/healthz'), 200);
  assert.equal(await getStatus(url, '/admin/checkouts?order_id=1'), 404);
  assert.equal(await getStatus(admin, '/pay-invoice.js'), 404);
});

test('without a receiver outcomes of a trial and those of the feed count as delivered, and other outcomes of a service do not', async () => {
  const outcome = makeOutcome('att_1.paid');
  const { signal } = new AbortController();
  const deliver = async (serviceUrl: string | undefined, isFeedRead = false): Promise<unknown> =>
    createOutcomeHandler({ receiver: undefined, serviceUrl, isFeedRead })(outcome, { signal });
  await deliver('https://pay.example', true);
  await deliver(undefined);
  await assert.rejects(deliver('https://pay.example'), { message: 'OUTCOME_URL is not set' });
});

test('the first page of a trial makes a test checkout and opens its page; with a service there is no first page', async (t) => {
  const { url } = await startTrial(t, {});
  for (const language of ['ru', 'en']) {
    const page = await fetch(url, { headers: { 'accept-language': language } });
    assert.equal(page.status, 200);
    const text = await page.text();
    assert.ok(text.includes(`${url}/admin"`));
    const documents = [...text.matchAll(/href="\/([^"]+\.md)"/g)].map(([, path = '']) => path);
    assert.equal(documents.length, 4);
    for (const path of documents) assert.ok(existsSync(path), path);
  }
  const created = await fetch(url, { method: 'POST', redirect: 'manual' });
  const payUrl = created.headers.get('location') ?? '';
  assert.ok(payUrl.startsWith(`${url}/pay/chk_`), payUrl);
  const payPage = await (await fetch(payUrl)).text();
  assert.match(payPage, /1,500[^]*Sberbank/, 'in English with English names');
  const [, returnUrl = ''] = /"success_url":"([^"]+)"/.exec(payPage) ?? [];
  const readNote = async (address: string) => /<p class="order">([^<]*)/.exec(await (await fetch(address)).text())?.[1];
  assert.match((await readNote(returnUrl)) ?? '', /^The test order is not paid/);
  assert.match((await readNote(`${url}/?order=${'x'.repeat(2000)}`)) ?? '', /^The checkout server runs/);
  const service = { INVOICE_BASE_URL: 'http://127.0.0.1:9', INVOICE_ACCESS_TOKEN: 'token', INVOICE_MODE: 'TEST' };
  assert.equal((await fetch((await startTrial(t, service)).url)).status, 404);
});

test('a trial on all addresses has links that a phone in the same network can open, and their QR codes; in a container it has not', async (t) => {
  const ports = { PORT: await freePort(), SANDBOX_PORT: await freePort() };
  const { url } = await startTrial(t, { HOST: '0.0.0.0', ...ports });
  const { hostname } = new URL(url);
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  assert.ok(
    own.some(({ address, internal }) => address === hostname && !internal),
    url,
  );
  assert.ok((await (await fetch(url)).text()).includes(`path d="${drawQr(encodeQr(url))?.path ?? ''}"`));
  const created = await fetch(url, { method: 'POST', redirect: 'manual' });
  const payUrl = created.headers.get('location') ?? '';
  const [, key = ''] = /name="key" value="([^"]+)"/.exec(await (await fetch(payUrl)).text()) ?? [];
  const body = new URLSearchParams({ key, payment_method_id: 'pm_sbp' });
  const page = await (await fetch(payUrl, { method: 'POST', body })).text();
  const [, link = ''] = /href="([^"]+\/qr\/[^"]+)"/.exec(page) ?? [];
  assert.equal(new URL(link).hostname, hostname);
  assert.equal((await fetch(link.replaceAll('&amp;', '&'))).status, 200);
  const withoutQr = await startTrial(t, { HOST: '0.0.0.0', PORT: await freePort(), PAY_PAGE_QR: '0' });
  const firstPage = await (await fetch(withoutQr.url)).text();
  assert.ok(firstPage.includes(`href="${withoutQr.url}"`) && !firstPage.includes('<svg'), firstPage);
  assert.equal(readServerEnvironment({ TRIAL: '1', HOST: '0.0.0.0', NODE_ENV: 'production' }).publicUrl, undefined);
});

test('the pay page of a trial has pictures of the methods, unless the shop has its own', async (t) => {
  const picturesOf = async (variables: Readonly<Record<string, string>>) => {
    const { url } = await startTrial(t, variables);
    const created = await fetch(
      variables['PUBLIC_URL'] === undefined ? url : `http://127.0.0.1:${variables['PORT']}/`,
      {
        method: 'POST',
        redirect: 'manual',
      },
    );
    const { pathname } = new URL(created.headers.get('location') ?? '');
    const origin = `http://127.0.0.1:${variables['PORT'] ?? new URL(url).port}`;
    const page = await (await fetch(`${origin}${pathname.replace('/shop/', '/')}`)).text();
    return { origin, pictures: [...page.matchAll(/background:url\("([^"]+)"\)/g)].map(([, path = '']) => path) };
  };
  const { origin, pictures } = await picturesOf({});
  assert.deepEqual(pictures, ['/methods/SBP.svg', '/methods/CARD.svg', '/methods/BANK_TRANSFER.svg']);
  for (const path of pictures) {
    const picture = await fetch(`${origin}${path}`);
    assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/svg+xml']);
  }
  const behindProxy = { PORT: await freePort(), PUBLIC_URL: 'https://shop.example/shop' };
  assert.equal((await picturesOf(behindProxy)).pictures[0], '/shop/methods/SBP.svg');
  assert.deepEqual((await picturesOf({ METHOD_LOGOS: 'SBP=/own.svg' })).pictures, ['/own.svg']);
});

const dayMs = 24 * 3_600_000;

test('checkouts of the configured age are purged ten minutes after the start and then every day, also after a purge that failed, until it is stopped', async () => {
  const clock = new FakeClock();
  const ages: number[] = [];
  const logLines: unknown[] = [];
  const stop = startDailyPurge({
    checkouts: {
      purge({ olderThan }) {
        ages.push(clock.now() - Number(olderThan));
        return ages.length === 1 ? Promise.reject(new RangeError('chk_secret')) : Promise.resolve(0);
      },
    },
    afterDays: 180,
    log: (...line) => void logLines.push(line),
    clock,
  });
  await clock.advance(10 * 60_000 - 1);
  assert.equal(ages.length, 0);
  await clock.advance(1);
  assert.equal(ages.length, 1);
  assertSameTime(ages[0] ?? NaN, 180 * dayMs);
  await clock.advance(3 * dayMs);
  assert.equal(ages.length, 4);
  assert.deepEqual(logLines, [['error', 'purge_failed', { error: 'RangeError' }]]);
  stop();
  await clock.advance(3 * dayMs);
  assert.equal(ages.length, 4);
});
