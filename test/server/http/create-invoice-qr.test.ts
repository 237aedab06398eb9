import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Clock } from '../../../src/base/clock.ts';
import { createInvoiceServiceClient } from '../../../src/server.ts';
import { TestCheckoutServer } from '../../support/test-checkout-server.ts';
import { networkError, hang, json, type ScriptedResponse } from '../../support/scripted-service-client.ts';

const requestedQr = { generate: true, timeout: '4s' };

suite('a QR code is requested', () => {
  const rows: readonly (readonly [string, readonly string[] | undefined, card: boolean, sbp: boolean])[] = [
    ['only for SBP by default', undefined, false, true],
    ['for the types in the option qrMethodTypes, without regard to case', ['card', 'OTHER'], true, false],
    ['for no method when the option qrMethodTypes is empty', [], false, false],
  ];
  for (const [name, types, card, sbp] of rows)
    test(name, async () => {
      for (const [method, isRequested] of [
        ['pm_card', card],
        ['pm_sbp', sbp],
      ] as const) {
        const harness = await TestCheckoutServer.open({}, types === undefined ? {} : { qrMethodTypes: types });
        await harness.createInvoice({ method });
        assert.deepEqual(harness.service.createRequests[0]?.qr, isRequested ? requestedQr : undefined, method);
      }
    });
});

suite('a repeat of a create in doubt', () => {
  test('by create recovery does not request a QR code, and later repeats do not either', async () => {
    const harness = await TestCheckoutServer.open();
    const inDoubt = { kind: 'fails', failure: 'ambiguous' } as const;
    harness.service.createFaults.push(inDoubt, inDoubt, inDoubt);
    await harness.createInvoice({ method: 'pm_sbp' });
    await harness.advance(120_000);
    const { createRequests } = harness.service;
    assert.deepEqual(
      createRequests.map(({ qr }) => qr),
      [requestedQr, undefined, undefined, undefined],
    );
    assert.equal(new Set(createRequests.map(({ external_id }) => external_id)).size, 1);
  });
  test('by another process, after the first process died during the call, does not request a QR code', async () => {
    const harness = await TestCheckoutServer.open();
    harness.service.createFaults.push({ kind: 'hangs', until: new Promise(() => undefined) });
    void harness.createInvoice({ method: 'pm_sbp' }).catch(() => undefined);
    await harness.advance(100);
    harness.crash();
    await harness.advance(30_000);
    assert.deepEqual(
      harness.service.createRequests.map(({ qr }) => qr),
      [requestedQr, undefined],
    );
    assert.equal((await harness.getCheckout()).checkout.invoice?.id, 'inv_1');
  });
});

/** A service that responds to creates with a QR with `refusal`, and to every other request with success. */
const createServiceThatRefusesQr =
  (refusal: ScriptedResponse, qrRequests: boolean[], externalIds: Set<string>): typeof globalThis.fetch =>
  async (url, init) => {
    const body: unknown = JSON.parse(typeof init?.body === 'string' ? init.body : '{}');
    const request = typeof body === 'object' && body !== null ? { ...body } : {};
    const respond = (value: unknown): Response => new Response(JSON.stringify(value), { status: 200 });
    const { pathname } = new URL(url instanceof Request ? url.url : url);
    const sbp = { id: 'pm_sbp', type: 'SBP', available: true };
    if (pathname.endsWith('/FetchPaymentOptions')) return respond({ options: [sbp] });
    if (pathname.endsWith('/FetchInvoices')) return respond({ invoices: [] });
    const { external_id, amount } = { external_id: '', amount: '', ...request };
    externalIds.add(external_id);
    qrRequests.push('qr' in request);
    const sentRequest = {
      at: 0,
      url: '',
      method: 'POST',
      redirect: '',
      headers: new Headers(),
      text: '',
      body: request,
    };
    if ('qr' in request) return refusal(sentRequest, init?.signal ?? new AbortController().signal);
    return respond({ id: 'inv_1', external_id, amount, sbp: { phone: '+79990000000' } });
  };

suite('a payer gets an invoice from a service that refuses QRs', () => {
  const refusals: readonly (readonly [string, ScriptedResponse])[] = [
    ['503 with a code inside another member', json(503, { error: { code: 'internal' } })],
    ['503 with an empty body', json(503, '')],
    ['500', json(500, { code: 'internal', message: '' })],
    ['400', json(400, { code: 'invalid_argument', message: '' })],
    ['503 with HTML', json(503, '<html>Service unavailable</html>')],
    ['sending no response', hang],
    ['resetting the connection', networkError('ECONNRESET')],
    ['a truncated 200', json(200, '{"id":"inv_1","exter')],
  ];
  for (const [name, refusal] of refusals)
    for (const isSecondProcess of [false, true])
      test(`by ${name}${isSecondProcess ? ', also when the first process dies' : ''}`, async () => {
        const qrRequests: boolean[] = [];
        const externalIds = new Set<string>();
        const clock: Clock = {
          now: () => harness.clock.now(),
          schedule: (ms, task) => harness.clock.schedule(ms, task),
        };
        const harness: TestCheckoutServer = await TestCheckoutServer.open(
          {},
          {
            service: createInvoiceServiceClient({
              baseUrl: 'https://invoices.example',
              token: 'token',
              fetch: createServiceThatRefusesQr(refusal, qrRequests, externalIds),
              clock,
              log: () => undefined,
            }),
          },
        );
        const response = harness.createInvoice({ method: 'pm_sbp' });
        if (isSecondProcess) {
          await harness.advance(50);
          harness.crash();
          void response.catch(() => undefined);
        } else assert.ok((await harness.until(response)).status < 300);
        await harness.advance(60_000);
        assert.equal((await harness.getCheckout()).checkout.invoice?.id, 'inv_1');
        assert.equal(qrRequests.at(-1), false);
        assert.equal(externalIds.size, 1);
      });
});
