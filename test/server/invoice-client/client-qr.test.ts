import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type CreateInvoiceRequest } from '../../../src/contract.ts';
import {
  createdInvoice,
  networkError,
  hang,
  json,
  qrFailure,
  scriptedClient,
} from '../../support/scripted-service-client.ts';

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
  for (const [deadlineMs, requestsQr] of [
    [16_099, false],
    [16_100, true],
  ] as const)
    test(`is followed by a try ${requestsQr ? 'with' : 'without'} the QR when the deadline is ${deadlineMs} ms`, async () => {
      const { service, sentRequests, clock } = scriptedClient([qrFailure, success], {
        deadlineMs: { CreateInvoice: deadlineMs },
      });
      await clock.value(service.createInvoice(withQr));
      assert.equal('qr' in (sentRequests[1]?.body ?? {}), requestsQr);
    });
  test('is followed by at most one try without the QR', async () => {
    const { service, sentRequests, failureOf } = scriptedClient([qrFailure, networkError('ECONNRESET'), success]);
    const requestWithSlowQr = { ...request, qr: { generate: true, timeout: '20s' } };
    assert.equal((await failureOf(service.createInvoice(requestWithSlowQr))).failure, 'ambiguous');
    assert.equal(sentRequests.length, 2);
  });
  test('costs one repeat of the retry budget', async () => {
    const { service, sentRequests, clock } = scriptedClient([qrFailure, success], {
      budget: { perCall: 0, reserve: 1 },
    });
    await clock.value(service.createInvoice(withQr));
    assert.deepEqual(
      sentRequests.map(({ body }) => 'qr' in body),
      [true, true],
    );
  });
  test('is followed by a try without the QR when the retry budget is spent', async () => {
    const { service, sentRequests, clock } = scriptedClient([qrFailure, success], {
      budget: { perCall: 0, reserve: 0 },
    });
    await clock.value(service.createInvoice(withQr));
    assert.deepEqual(
      sentRequests.map(({ body }) => 'qr' in body),
      [true, false],
    );
    assert.equal(
      (sentRequests[1]?.at ?? 0) - (sentRequests[0]?.at ?? 0),
      100,
      'the wait before the try without the QR is that before any other try',
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
      assert.equal((sentRequests[1]?.at ?? 0) - start, tryMs + 100);
    });
});
