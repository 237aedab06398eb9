import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type CreateInvoiceRequest } from '../../../src/contract.ts';
import { createdInvoice, fails, hang, json, qrFailure, scriptedClient } from '../../support/scripted-service-client.ts';

const anonymous: CreateInvoiceRequest = { amount: '1500.00', mode: 'TEST' };
const request: CreateInvoiceRequest = { ...anonymous, external_id: 'att_1' };
const withQr: CreateInvoiceRequest = { ...request, qr: { generate: true, timeout: '4s' } };
const made = json(200, createdInvoice);

suite('QR generation that fails', () => {
  test('is repeated, and the last try goes without the QR and is the same otherwise', async () => {
    const { service, sent, time } = scriptedClient([qrFailure, qrFailure, made]);
    assert.equal((await time.value(service.createInvoice(withQr))).id, 'inv_1');
    assert.deepEqual(
      sent.map(({ body }) => 'qr' in body),
      [true, true, false],
    );
    assert.deepEqual(sent[2]?.body, request);
  });
  test('is repeated with the QR, and returns the invoice when that succeeds', async () => {
    const { service, sent, time } = scriptedClient([qrFailure, made]);
    await time.value(service.createInvoice(withQr));
    assert.deepEqual(
      sent.map(({ text }) => text),
      [sent[0]?.text, sent[0]?.text],
    );
  });
  test('leaves the call unavailable when the try without the QR fails before it is sent', async () => {
    const { service, failureOf } = scriptedClient([qrFailure, qrFailure, fails('ECONNREFUSED', 'connect')]);
    assert.equal((await failureOf(service.createInvoice(withQr))).failure, 'unavailable');
  });
  test('leaves the call in doubt when the try without the QR gets the same response', async () => {
    const { service, failureOf } = scriptedClient([qrFailure]);
    assert.equal((await failureOf(service.createInvoice(withQr))).failure, 'ambiguous');
  });
  test('leaves the call in doubt when the connection is lost in the try without the QR', async () => {
    const { service, sent, failureOf } = scriptedClient([qrFailure, qrFailure, fails('ECONNRESET')]);
    assert.equal((await failureOf(service.createInvoice(withQr))).failure, 'ambiguous');
    assert.equal(sent.length, 3);
  });
  test('is repeated without external_id too, because no invoice was created', async () => {
    const { service, sent, time } = scriptedClient([qrFailure, made]);
    await time.value(service.createInvoice({ ...anonymous, qr: { generate: true } }));
    assert.equal(sent.length, 2);
  });
  test('is a create in doubt when no QR was requested, and repeats are the same', async () => {
    const { service, sent, failureOf } = scriptedClient([qrFailure]);
    const error = await failureOf(service.createInvoice({ ...request, qr: { generate: false } }));
    assert.equal(error.failure, 'ambiguous');
    assert.equal(new Set(sent.map(({ text }) => text)).size, 1);
  });
  test('goes without the QR at once when a second try with it has no time left', async () => {
    const { service, sent, time } = scriptedClient([qrFailure, made]);
    await time.value(service.createInvoice({ ...request, qr: { generate: true, timeout: '20s' } }));
    assert.deepEqual(
      sent.map(({ body }) => 'qr' in body),
      [true, false],
    );
  });
  for (const [deadline, again] of [
    [16_099, false],
    [16_100, true],
  ] as const)
    test(`goes ${again ? 'with' : 'without'} the QR where ${deadline} ms are left for a try with it and one without`, async () => {
      const { service, sent, time } = scriptedClient([qrFailure, made], { deadlineMs: { CreateInvoice: deadline } });
      await time.value(service.createInvoice(withQr));
      assert.equal('qr' in (sent[1]?.body ?? {}), again);
    });
  test('is followed by one try without the QR at most', async () => {
    const { service, sent, failureOf } = scriptedClient([qrFailure, fails('ECONNRESET'), made]);
    const slow = { ...request, qr: { generate: true, timeout: '20s' } };
    assert.equal((await failureOf(service.createInvoice(slow))).failure, 'ambiguous');
    assert.equal(sent.length, 2);
  });
  test('costs one repeat of the budget', async () => {
    const { service, sent, time } = scriptedClient([qrFailure, made], { budget: { perCall: 0, reserve: 1 } });
    await time.value(service.createInvoice(withQr));
    assert.deepEqual(
      sent.map(({ body }) => 'qr' in body),
      [true, true],
    );
  });
  test('goes without the QR when the budget for repeats is spent', async () => {
    const { service, sent, time } = scriptedClient([qrFailure, made], { budget: { perCall: 0, reserve: 0 } });
    await time.value(service.createInvoice(withQr));
    assert.deepEqual(
      sent.map(({ body }) => 'qr' in body),
      [true, false],
    );
    assert.equal((sent[1]?.at ?? 0) - (sent[0]?.at ?? 0), 100, 'after a wait as before any other try');
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
    test(`has ${tryMs} ms for a try with a qr.timeout of ${timeout ?? 'nothing'}, and time for one without`, async () => {
      const { service, sent, time } = scriptedClient([hang, qrFailure, made]);
      const start = time.now();
      const call = service.createInvoice({ ...request, qr: { generate: true, timeout } });
      await time.settle(call);
      assert.equal((sent[1]?.at ?? 0) - start, tryMs + 100);
    });
});
