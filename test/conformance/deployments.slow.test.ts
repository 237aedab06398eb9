import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { z } from 'zod';
import { runConformance, type Report } from '../../src/conformance.ts';
import { readServerEnvironment } from '../../src/standalone/environment/server-environment.ts';
import { startServer } from '../../src/standalone/start-server.ts';
import { mounts } from '../mounts/mounts.ts';
import { allDatabases } from '../stores/databases.ts';
import type { DatabaseLocation } from '../support/open-database.ts';
import { allowedOrigin, orderParams, token } from './run-conformance-in-process.ts';
import { runConformanceOverHttp } from './run-conformance-over-http.ts';

// The contract of the HTTP API: the conformance checks in real time, in each framework and with each database.
// Checks with --slow run on a fake clock in test/conformance/correct-backends-pass.test.ts.

const systems = await allDatabases();
const folder = mkdtempSync(join(tmpdir(), 'deployments-'));
const widgetFolder = join(folder, 'widget');
mkdirSync(widgetFolder);
writeFileSync(join(widgetFolder, 'pay-invoice.js'), '');
/** Hono's listener puts classes of its own into their places, as it does in a merchant's program. */
const { Request: nodeRequest, Response: nodeResponse } = globalThis;
after(async () => {
  Object.assign(globalThis, { Request: nodeRequest, Response: nodeResponse });
  for (const system of systems) await system.end();
  rmSync(folder, { recursive: true });
});

const ADMIN_TOKEN = 'a-token-of-24-characters';
const createdCheckout = z.object({ id: z.string(), capability: z.string() });

/** Runs the checks against the standalone server, with its sandbox and a database. */
async function runAgainstStandaloneServer({ dataDir, databaseUrl }: DatabaseLocation): Promise<Report> {
  const variables = {
    ...{ TRIAL: '1', PORT: '0', SANDBOX_PORT: '0', LOG_LEVEL: 'error', ADMIN_TOKEN },
    ...{ INVOICE_ACCESS_TOKEN: token, ALLOWED_ORIGINS: allowedOrigin },
    ...(databaseUrl === undefined ? { DATA_DIR: dataDir } : { DATABASE_URL: databaseUrl, DATA_DIR: folder }),
  };
  const server = await startServer(readServerEnvironment(variables), widgetFolder);
  const ids = new Map<string, string>();
  const sendToAdmin = async (path: string, body: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    return (await fetch(`${server.url}/admin/checkouts${path}`, init)).json();
  };
  try {
    return await runConformance({
      endpoint: `${server.url}/checkout`,
      sandbox: server.sandbox ?? assert.fail('there is no sandbox'),
      token,
      allowedOrigin,
      open: async (kind) => {
        const { orderId: order_id, amountLimits, failUrl: fail_url, ...params } = orderParams(kind, ids.size);
        const amount_limits = amountLimits && {
          min_amount: amountLimits.minAmount,
          max_amount: amountLimits.maxAmount,
        };
        const created = await sendToAdmin('', { order_id, amount_limits, fail_url, ...params });
        const { id, capability } = createdCheckout.parse(created);
        ids.set(capability, id);
        return capability;
      },
      close: async (capability) => {
        await sendToAdmin(`/${ids.get(capability) ?? ''}/close`, {});
      },
    });
  } finally {
    await server.close();
  }
}

const runs: Readonly<Record<string, () => Promise<Report>>> = {
  ...Object.fromEntries(
    Object.entries(mounts).map(([framework, mount]) => [
      `the checkout API in ${framework}`,
      () => runConformanceOverHttp((checkouts) => mount(checkouts, 0)),
    ]),
  ),
  ...Object.fromEntries(
    systems.map((system) => [
      `the standalone server on ${system.name}`,
      async () => runAgainstStandaloneServer(await system.fresh()),
    ]),
  ),
};

describe('every deployment', { concurrency: true }, () => {
  for (const [name, run] of Object.entries(runs))
    test(`${name} passes the conformance checks`, async () => {
      const { results } = await run();
      const failed = results.filter(({ verdict, reason }) => verdict !== 'passed' && !reason?.includes('--slow'));
      assert.deepEqual(
        failed.map(({ id, got, reason }) => `${id}: ${got ?? reason ?? ''}`),
        [],
      );
      assert.equal(results.length - failed.length > 100, true);
    });
});
