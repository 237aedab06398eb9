import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';
import { readServerEnvironment } from '../../src/standalone/environment/server-environment.ts';
import { startServer } from '../../src/standalone/start-server.ts';
import { WidgetMissingError } from '../../src/standalone/widget-files.ts';
import { listen } from '../mounts/listen.ts';
import { until } from '../support/wait-until.ts';

const folder = mkdtempSync(join(tmpdir(), 'start-server-'));
after(() => rmSync(folder, { recursive: true }));
const widgetFolder = join(folder, 'cdn');
mkdirSync(widgetFolder);
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
