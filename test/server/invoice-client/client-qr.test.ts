import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type CreateInvoiceRequest } from '../../../src/service-api.ts';
import {
  createdInvoice,
  networkError,
  hang,
  json,
  qrFailure,
  scriptedClient,
} from '../../support/scripted-service-client.ts';
import { assertSameTime } from '../../support/fake-clock.ts';

const requestWithoutExternalId: CreateInvoiceRequest = { amount: '1500.00', mode: 'TEST' };
const request: CreateInvoiceRequest = { ...requestWithoutExternalId, external_id: 'att_1' };
const withQr: CreateInvoiceRequest = { ...request, qr: { generate: true, timeout: '4s' } };
const success = json(200, createdInvoice);

suite('QR generation that fails', () => {
  test('is repeated, and the last try requests no QR but has the same other members', async () => {
    const { service, sentRequests, clock } = scriptedClient([qrFailure, qrFailure, success]);
    assert.equal((await clock.value(service.createInvoice(withQr))).id, 'inv_1');
    assert.deepEqual(
      sentRequests.map(({ body }) => 'qr' in body),
      [true, true, false],
    );
    assert.deepEqual(sentRequests[2]?.body, request);
  });
  test('is repeated with the same request, which includes the QR, when tries are left', async () => {
    const { service, sentRequests, clock } = scriptedClient([qrFailure, success]);
    await clock.value(service.createInvoice(withQr));
    assert.deepEqual(
      sentRequests.map(({ text }) => text),
      [sentRequests[0]?.text, sentRequests[0]?.text],
    );
  });
  test('leaves the call unavailable when the try without the QR fails before it is sent', async () => {
    const { service, failureOf } = scriptedClient([qrFailure, qrFailure, networkError('ECONNREFUSED', 'connect')]);
    assert.equal((await failureOf(service.createInvoice(withQr))).failure, 'unavailable');
  });
  test('leaves the call in doubt when the try without the QR gets the response of a failed QR generation, too', async () => {
    const { service, failureOf } = scriptedClient([qrFailure]);
    assert.equal((await failureOf(service.createInvoice(withQr))).failure, 'ambiguous');
  });
  test('leaves the call in doubt when the connection is lost in the try without the QR', async () => {
    const { service, sentRequests, failureOf } = scriptedClient([qrFailure, qrFailure, networkError('ECONNRESET')]);
    assert.equal((await failureOf(service.createInvoice(withQr))).failure, 'ambiguous');
    assert.equal(sentRequests.length, 3);
  });
  test('is repeated even without external_id, because no invoice was created', async () => {
    const { service, sentRequests, clock } = scriptedClient([qrFailure, success]);
    await clock.value(service.createInvoice({ ...requestWithoutExternalId, qr: { generate: true } }));
    assert.equal(sentRequests.length, 2);
  });
  test('leaves the call in doubt when no QR was requested, and all tries send the same request', async () => {
    const { service, sentRequests, failureOf } = scriptedClient([qrFailure]);
    const error = await failureOf(service.createInvoice({ ...request, qr: { generate: false } }));
    assert.equal(error.failure, 'ambiguous');
    assert.equal(new Set(sentRequests.map(({ text }) => text)).size, 1);
  });
  test('is followed directly by the try without the QR when no time is left for a second try with the QR', async () => {
    const { service, sentRequests, clock } = scriptedClient([qrFailure, success]);
    await clock.value(service.createInvoice({ ...request, qr: { generate: true, timeout: '20s' } }));
    assert.deepEqual(
      sentRequests.map(({ body }) => 'qr' in body),
      [true, false],
    );
  });
  for (const [timeout, requestsQr] of [
    ['13.899s', true],
    ['13.901s', false],
  ] as const)
    test(`is followed by a try ${requestsQr ? 'with' : 'without'} the QR when qr.timeout is ${timeout} and the call may take 25 s`, async () => {
      const { service, sentRequests, clock } = scriptedClient([qrFailure, success]);
      await clock.value(service.createInvoice({ ...request, qr: { generate: true, timeout } }));
      assert.equal('qr' in (sentRequests[1]?.body ?? {}), requestsQr);
    });
  test('is followed by at most one try without the QR', async () => {
    const { service, sentRequests, failureOf } = scriptedClient([qrFailure, networkError('ECONNRESET'), success]);
    const requestWithSlowQr = { ...request, qr: { generate: true, timeout: '20s' } };
    assert.equal((await failureOf(service.createInvoice(requestWithSlowQr))).failure, 'ambiguous');
    assert.equal(sentRequests.length, 2);
  });
  test('costs other payers nothing: after twenty creates whose QR failed, one temporary failure is repeated with the QR', async () => {
    const script = { isQrDown: true, temporaryFailures: 0 };
    const { service, sentRequests, clock } = scriptedClient([
      (sentRequest, signal) => {
        const isFailing = 'qr' in sentRequest.body && (script.isQrDown || (script.temporaryFailures -= 1) >= 0);
        return (isFailing ? qrFailure : success)(sentRequest, signal);
      },
    ]);
    for (let payer = 0; payer < 20; payer += 1) await clock.value(service.createInvoice(withQr));
    script.isQrDown = false;
    for (let payer = 0; payer < 12; payer += 1) {
      script.temporaryFailures = 1;
      const countBefore = sentRequests.length;
      await clock.value(service.createInvoice(withQr));
      assert.deepEqual(
        sentRequests.slice(countBefore).map(({ body }) => 'qr' in body),
        [true, true],
      );
    }
  });
  test('that may be an outage is followed by a try without the QR when the retry budget is spent', async () => {
    const { service, sentRequests, clock } = scriptedClient([
      ...Array.from({ length: 9 }, () => json(500, '')),
      success,
    ]);
    for (let call = 0; call < 3; call += 1) await clock.settle(service.fetchPaymentOptions('1')); // 3 + 3 + 2 tries
    assert.equal(sentRequests.length, 8);
    await clock.value(service.createInvoice(withQr));
    assert.deepEqual(
      sentRequests.slice(8).map(({ body }) => 'qr' in body),
      [true, false],
    );
  });

  const timeouts: readonly (readonly [string | undefined, number])[] = [
    [undefined, 8_000],
    ['4s', 8_000],
    ['6.500s', 9_500],
    ['60s', 63_000],
    ['garbage', 8_000],
    ['-5s', 8_000],
  ];
  for (const [timeout, tryMs] of timeouts)
    test(`is waited for up to ${tryMs} ms in a try whose qr.timeout is ${timeout ?? 'missing'}`, async () => {
      const { service, sentRequests, clock } = scriptedClient([hang, qrFailure, success]);
      const start = clock.now();
      const call = service.createInvoice({ ...request, qr: { generate: true, timeout } });
      await clock.settle(call);
      assertSameTime((sentRequests[1]?.at ?? 0) - start, tryMs + 100);
    });
});
