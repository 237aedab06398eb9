import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readServerEnvironment } from '../../src/standalone/environment/server-environment.ts';
import { startServer, type RunningServer } from '../../src/standalone/start-server.ts';
import { adminToken } from './buyer.ts';

/** Starts the standalone server on free ports, unless `variables` name ports, with an empty file as the widget. */
export function startTestServer(variables: Readonly<Record<string, string | undefined>>): Promise<RunningServer> {
  const widgetFolder = mkdtempSync(join(tmpdir(), 'widget-'));
  writeFileSync(join(widgetFolder, 'pay-invoice.js'), '');
  const defaults = { PORT: '0', SANDBOX_PORT: '0', ADMIN_TOKEN: adminToken, OUTCOME_FEED: '1' };
  return startServer(readServerEnvironment({ ...defaults, ...variables }), widgetFolder);
}
