import assert from 'node:assert/strict';
import { Buyer } from '../support/buyer.ts';
import { startTestServer } from '../support/start-test-server.ts';
import { until } from '../support/wait-until.ts';

/** Runs a standalone server until an order is paid and delivered; resolves with what `/metrics` then shows. */
export async function readMetricsOfPurchase(folder: string): Promise<string> {
  const shop = await startTestServer({ METRICS_PORT: '0', DATA_DIR: folder });
  const buyer = new Buyer(shop);
  await buyer.order();
  const { invoice } = await buyer.createInvoice();
  await buyer.simulate(invoice?.id ?? assert.fail(), 'pay');
  const readMetrics = async (): Promise<string> => (await fetch(`${shop.metrics ?? ''}/metrics`)).text();
  // This is the last metric that a purchase changes.
  await until('the outcome is delivered', async () => (await readMetrics()).includes('kind="paid",result="ok"'));
  const text = await readMetrics();
  await shop.close();
  return text;
}
