import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createInvoiceServiceClient } from '../../../src/server.ts';
import { createSandbox } from '../../../src/tools/sandbox/create-sandbox.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

// The clock of the shop and of the service is set at the same moment, as where both run on one machine, or follow one time server.

const hour = 3_600_000;
const lifetimeMs = 15 * 60_000;
const token = 'shared-clock-token';

/** A shop and a sandbox on one clock. */
async function openShop(hasDate: boolean) {
  const fakeClock = new FakeClock(5);
  const clock = {
    now: () => fakeClock.wall(),
    monotonic: () => fakeClock.now(),
    schedule: fakeClock.schedule.bind(fakeClock),
  };
  const sandbox = createSandbox({ token, clock });
  /** Node's HTTP server computes the `Date` header once a second. */
  let date = { at: -Infinity, text: '' };
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const response = await sandbox.fetch(new Request(input, init));
    if (fakeClock.now() - date.at >= 1000) date = { at: fakeClock.now(), text: new Date(clock.now()).toUTCString() };
    if (hasDate) response.headers.set('date', date.text);
    return response;
  };
  const service = createInvoiceServiceClient({
    baseUrl: 'https://service.example',
    token,
    clock,
    fetch,
    log: () => undefined,
  });
  const shop = new TestCheckoutServer({ service, clock });
  shop.id = await shop.createCheckout();
  shop.server.start();
  const advance = (ms: number): Promise<void> => fakeClock.advance(ms);
  return { shop, clock, advance, step: (ms: number) => fakeClock.setWall(fakeClock.wall() + ms) };
}

for (const hasDate of [true, false])
  suite(hasDate ? 'with a service that tells its time' : 'with a service that does not tell its time', () => {
    for (const stepMs of [-hour, hour])
      for (const delayMs of [0, 900, 1500])
        test(`an invoice that is created ${delayMs} ms after the clocks were set by ${stepMs / hour} h keeps its deadline, and expires after it`, async () => {
          const { shop, clock, advance, step } = await openShop(hasDate);
          await advance(60_400);
          await shop.getCheckout(); // the service has been asked for methods
          step(stepMs);
          await advance(delayMs);
          const creating = shop.createInvoice();
          const createdAt = clock.now();
          await advance(500);
          const { invoice } = (await creating).checkout;
          const deadline = Date.parse(invoice?.expires_at ?? assert.fail('there is no deadline'));
          assert.ok(Math.abs(deadline - (createdAt + lifetimeMs)) < 5000);
          assert.ok(!shop.loggedEvents().includes('deadline_unreadable'));
          await advance(lifetimeMs - 60_000);
          const before = (await shop.getCheckout()).checkout;
          assert.deepEqual([before.status, before.invoice?.expires_at], ['pending', invoice?.expires_at]);
          await advance(4 * 60_000);
          assert.deepEqual(shop.outcomeKinds(), ['expired']);
        });
  });
