import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createInvoiceServiceClient } from '../../../src/server.ts';
import {
  createdInvoice,
  hang,
  json,
  networkError,
  type ScriptedResponse,
} from '../../support/scripted-service-client.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';

// The payer gets requisites however the service refuses the QR: by the client's own request without it, or by the repeat of a
// create that is in doubt.

/** A checkout whose creates go to a service that answers each with a QR by `refusal`, and creates the invoice without a QR. */
async function openWithRefusedQr(refusal: ScriptedResponse) {
  const harness = await TestCheckoutServer.open();
  const sent: { readonly withQr: boolean; readonly externalId: unknown; readonly at: number }[] = [];
  const client = createInvoiceServiceClient({
    baseUrl: 'https://invoices.example',
    token: 'token',
    log: () => undefined,
    clock: { now: harness.clock.monotonic, schedule: harness.clock.schedule },
    fetch: async (_url, init) => {
      const body: unknown = JSON.parse(typeof init?.body === 'string' ? init.body : '');
      assert.ok(typeof body === 'object' && body !== null && 'external_id' in body);
      const withQr = 'qr' in body;
      sent.push({ withQr, externalId: body.external_id, at: harness.fakeClock.now() });
      const invoice = { ...createdInvoice, external_id: body.external_id, sbp: { phone: '+79990000000' } };
      const respond = withQr ? refusal : json(200, invoice);
      const request = {
        at: 0,
        url: '',
        method: 'POST',
        redirect: '',
        headers: new Headers(),
        text: '',
        body: {},
      };
      return respond(request, init?.signal ?? new AbortController().signal);
    },
  });
  harness.service.createInvoice = (request, signal?: AbortSignal) => client.createInvoice(request, signal);
  return { harness, sent };
}

suite('a payer gets requisites within 10 s from a service that refuses the QR', () => {
  for (const [name, refusal, requests] of [
    ['by the documented error', json(503, { code: 'internal', message: 'QR' }), [true, true, false]],
    ['by the documented error, with a Retry-After', json(503, { code: 13 }, { 'retry-after': '60' }), [true, false]],
    ['by 400', json(400, { code: 'invalid_argument', message: 'qr' }), [true, false]],
    ['by 503 with the code inside another member', json(503, { error: { code: 'internal' } }), [true, false]],
    ['by 500 with an empty body', json(500, ''), [true, false]],
    ['by 502 with HTML', json(502, '<html>Bad gateway</html>'), [true, false]],
    ['by a truncated 200', json(200, '{"id":"inv_1","amou'), [true, false]],
    ['by no response', hang, [true, false]],
    ['by resets of the connection', networkError('ECONNRESET'), [true, true, false]],
  ] as const satisfies readonly (readonly [string, ScriptedResponse, readonly boolean[]])[])
    test(name, async () => {
      const { harness, sent } = await openWithRefusedQr(refusal);
      const response = harness.createInvoice({ method: 'pm_sbp' });
      await harness.advance(10_000);
      assert.ok([201, 202].includes((await response).status));
      const { invoice } = (await harness.getCheckout()).checkout;
      assert.equal(invoice?.id, 'inv_1');
      assert.deepEqual(
        sent.map(({ withQr }) => withQr),
        requests,
      );
      assert.equal(new Set(sent.map(({ externalId }) => externalId)).size, 1);
    });
});
