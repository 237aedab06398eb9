import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import type { Operation } from '../../../src/service-api.ts';
import { assertSameTime, settle } from '../../support/fake-clock.ts';
import { TestSandbox, serviceRequest } from '../test-sandbox.ts';

async function readFiredCounts(service: TestSandbox): Promise<readonly number[]> {
  const { json } = await service.send('GET', '/sandbox/faults');
  return z
    .array(z.object({ fired: z.number() }))
    .parse(json['faults'])
    .map(({ fired }) => fired);
}

/** Calls an operation `count` times, and resolves with the statuses. */
async function callRepeatedly(service: TestSandbox, count: number, operation: Operation = 'FetchPaymentOptions') {
  const statuses: number[] = [];
  for (let index = 0; index < count; index += 1) statuses.push((await service.call(operation, { amount: '1' })).status);
  return statuses;
}

const createRequest = (): Request => serviceRequest('CreateInvoice', { amount: '1500.00' });

describe('faults', () => {
  it('latency delays the response, and latencies add up', async () => {
    const service = await TestSandbox.withFaults({ kind: 'latency', ms: 3000 }, { kind: 'latency', ms: 500 });
    const before = service.clock.now();
    assert.equal((await service.call('FetchPaymentOptions')).status, 200);
    assertSameTime(service.clock.now() - before, 3500);
  });

  for (const { rule, fault, status, text, type } of [
    {
      rule: 'the service error for this status',
      fault: { status: 503 },
      status: 503,
      text: /^\{"code":"unavailable","message":".+"\}$/,
      type: 'application/json',
    },
    {
      rule: 'a body of JSON',
      fault: { status: 503, body: { code: 13, message: 'x' } },
      status: 503,
      text: /^\{"code":13,"message":"x"\}$/,
      type: 'application/json',
    },
    {
      rule: 'a body of text',
      fault: { status: 200, body: 'oops' },
      status: 200,
      text: /^oops$/,
      type: 'text/plain; charset=utf-8',
    },
    {
      rule: 'headers',
      fault: { status: 502, body: '<p>', headers: { 'Content-Type': 'text/html', 'Retry-After': '7' } },
      status: 502,
      text: /^<p>$/,
      type: 'text/html',
    },
    {
      rule: 'no body for 204',
      fault: { status: 204 },
      status: 204,
      text: /^$/,
      type: 'application/json',
    },
  ])
    it(`status answers with its status and ${rule}, and creates no invoice`, async () => {
      const service = await TestSandbox.withFaults({ operation: 'CreateInvoice', kind: 'status', ...fault });
      const response = await service.call('CreateInvoice', { amount: '1' });
      assert.equal(response.status, status);
      assert.match(response.text, text);
      assert.equal(response.headers.get('content-type'), type);
      assert.equal(response.headers.get('retry-after'), 'headers' in fault ? '7' : null);
      assert.equal((await service.listInvoices()).length, 0);
    });

  it('status with after_work creates the invoice, and answers with the status', async () => {
    const service = await TestSandbox.withFaults({ kind: 'status', status: 504, after_work: true });
    assert.equal((await service.call('CreateInvoice', { amount: '1' })).status, 504);
    assert.equal((await service.listInvoices()).length, 1);
  });

  for (const { kind, createdCount } of [
    { kind: 'reset', createdCount: 0 },
    { kind: 'lost', createdCount: 1 },
  ])
    it(`${kind} drops the connection ${createdCount === 0 ? 'before' : 'after'} the invoice is created`, async () => {
      const service = await TestSandbox.withFaults({ operation: 'CreateInvoice', kind, times: 1 });
      await assert.rejects(service.sandbox.fetch(createRequest()), (error: unknown) => {
        assert.ok(error instanceof TypeError);
        assert.match(String(error.cause), /ECONNRESET/);
        return true;
      });
      assert.equal((await service.listInvoices()).length, createdCount);
      assert.equal((await service.call('CreateInvoice', { amount: '1' })).status, 200);
    });

  it('truncate creates the invoice, sends half of the body, and drops the connection', async () => {
    const service = await TestSandbox.withFaults({ kind: 'truncate' });
    const response = await service.sandbox.fetch(createRequest());
    assert.equal(response.status, 200);
    const parts: string[] = [];
    await assert.rejects(async () => {
      for await (const part of response.body ?? []) parts.push(new TextDecoder().decode(part));
    }, TypeError);
    assert.match(parts.join(''), /^\{"id":"inv_/);
    assert.throws(() => void JSON.parse(parts.join('')));
    assert.equal((await service.listInvoices()).length, 1);
  });

  it('garbage answers 200 with a default body that is not JSON, or with its own body', async () => {
    const defaultResponse = await (await TestSandbox.withFaults({ kind: 'garbage' })).call('FetchPaymentOptions');
    assert.deepEqual([defaultResponse.status, defaultResponse.text.startsWith('<!doctype html>')], [200, true]);
    const responseWithBody = await (
      await TestSandbox.withFaults({ kind: 'garbage', body: '{"id":' })
    ).call('FetchPaymentOptions');
    assert.equal(responseWithBody.text, '{"id":');
  });

  it('stall sends half of the body, and nothing more until the caller aborts', async () => {
    const service = await TestSandbox.withFaults({ kind: 'stall' });
    const caller = new AbortController();
    const response = await service.sandbox.fetch(new Request(createRequest(), { signal: caller.signal }));
    const reader = response.body?.getReader();
    assert.equal((await reader?.read())?.done, false);
    const abortedRead = assert.rejects(async () => reader?.read(), { name: 'AbortError' });
    await settle(5);
    caller.abort();
    await abortedRead;
  });

  it('stall at the headers sends nothing, and ends when the sandbox is closed', async () => {
    const service = await TestSandbox.withFaults({ kind: 'stall', at: 'headers' });
    let isSettled = false;
    const pendingResponse = service.sandbox.fetch(createRequest()).finally(() => (isSettled = true));
    const rejection = assert.rejects(pendingResponse, /closed/);
    await settle(5);
    assert.equal(isSettled, false);
    await service.sandbox.close();
    await rejection;
  });

  for (const at of ['headers', 'body'])
    it(`stall at the ${at} sends the rest of the response after \`ms\``, async () => {
      const service = await TestSandbox.withFaults({ kind: 'stall', at, ms: 2000 });
      const before = service.clock.now();
      assert.match(JSON.stringify(await service.create()), /inv_/);
      assertSameTime(service.clock.now() - before, 2000);
    });

  for (const { amount, wrongAmount } of [
    { amount: '1500.00', wrongAmount: '1500.01' },
    { amount: '99.99', wrongAmount: '99.98' },
    { amount: '7', wrongAmount: '8' },
  ])
    it(`wrong_amount sends ${wrongAmount} instead of ${amount} in created and fetched invoices, and stores ${amount}`, async () => {
      const service = await TestSandbox.withFaults({ kind: 'wrong_amount', times: 2 });
      const { id, amount: createdAmount } = await service.create({ amount });
      assert.equal(createdAmount, wrongAmount);
      assert.equal((await service.fetchOne(z.string().parse(id)))['amount'], wrongAmount);
      assert.equal((await service.fetchOne(z.string().parse(id)))['amount'], amount);
    });

  for (const { value, status } of [
    { value: undefined, status: 'SANDBOX_UNKNOWN' },
    { value: 'ON_HOLD', status: 'ON_HOLD' },
    { value: 5, status: 5 },
  ])
    it(`unknown_status sends the status ${status} in a fetched invoice, and does not store it`, async () => {
      const service = await TestSandbox.withFaults({
        kind: 'unknown_status',
        ...(value !== undefined && { value }),
        times: 1,
      });
      const id = await service.createId();
      assert.equal((await service.fetchOne(id))['status'], status);
      assert.equal((await service.fetchOne(id))['status'], 'PENDING');
    });

  it('a fault applies only to its operation and at most `times` times, and `fired` counts how often', async () => {
    const service = await TestSandbox.withFaults({
      operation: 'FetchPaymentOptions',
      kind: 'status',
      status: 500,
      times: 2,
    });
    assert.deepEqual(await callRepeatedly(service, 2, 'CreateInvoice'), [200, 200]);
    assert.deepEqual(await callRepeatedly(service, 3), [500, 500, 200]);
    assert.deepEqual(await readFiredCounts(service), [2]);
  });

  it('a fault without `times` applies until the faults are cleared', async () => {
    const service = await TestSandbox.withFaults({ kind: 'status', status: 503 });
    assert.deepEqual(await callRepeatedly(service, 4), [503, 503, 503, 503]);
    await service.send('DELETE', '/sandbox/faults');
    assert.deepEqual(await callRepeatedly(service, 1), [200]);
    assert.deepEqual(await readFiredCounts(service), []);
  });

  it('a DELETE with the identifier of a fault removes only this fault', async () => {
    const service = await TestSandbox.withFaults({ kind: 'status', status: 500 }, { kind: 'latency', ms: 1 });
    const { text } = await service.send('DELETE', '/sandbox/faults/flt_1');
    assert.equal(text, '{"faults":[{"id":"flt_2","operation":"*","kind":"latency","ms":1,"fired":0}]}');
  });

  it('of two faults that decide the response only the first applies, and the second applies to the next request', async () => {
    const service = await TestSandbox.withFaults(
      { kind: 'status', status: 500, times: 1 },
      { kind: 'status', status: 502, times: 1 },
    );
    assert.deepEqual(await callRepeatedly(service, 3), [500, 502, 200]);
  });

  it('a list of faults is refused completely when one of them is invalid', async () => {
    const service = await TestSandbox.withFaults();
    const validFault = { kind: 'latency', ms: 1 };
    const refused = await service.send('PUT', '/sandbox/faults', [validFault, { kind: 'latency' }]);
    assert.equal(refused.status, 400);
    assert.match(refused.message, /^1\.ms: /);
    assert.deepEqual(await readFiredCounts(service), []);
    await service.send('PUT', '/sandbox/faults', [validFault, validFault]);
    assert.deepEqual(await readFiredCounts(service), [0, 0]);
  });

  it('a fault applies to the share `probability` of requests, and a seed makes the choice repeatable', async () => {
    const fault = { kind: 'status', status: 500, probability: 0.3, seed: 42 };
    const [first, second] = [await TestSandbox.withFaults(fault), await TestSandbox.withFaults(fault)];
    const statuses = await callRepeatedly(first, 200);
    assert.deepEqual(await callRepeatedly(second, 200), statuses);
    const share = statuses.filter((status) => status === 500).length / 200;
    assert.ok(share > 0.2 && share < 0.4, String(share));
  });

  for (const { rule, body, field } of [
    { rule: 'an unknown kind', body: { kind: 'explode' }, field: 'kind: must be one of latency' },
    { rule: 'no kind', body: {}, field: 'kind: ' },
    {
      rule: 'an unknown operation',
      body: { kind: 'reset', operation: 'Create' },
      field: 'operation: must be one of Create',
    },
    { rule: 'times of 0', body: { kind: 'reset', times: 0 }, field: 'times: ' },
    { rule: 'a probability over 1', body: { kind: 'reset', probability: 1.1 }, field: 'probability: ' },
    { rule: 'the kind latency and no ms', body: { kind: 'latency' }, field: 'ms: ' },
    { rule: 'a negative ms', body: { kind: 'latency', ms: -1 }, field: 'ms: ' },
    { rule: 'an invalid status', body: { kind: 'status', status: 99 }, field: 'status: ' },
    {
      rule: 'an invalid header name',
      body: { kind: 'status', status: 500, headers: { 'a b': 'c' } },
      field: 'headers',
    },
    {
      rule: 'a header value of two lines',
      body: { kind: 'status', status: 500, headers: { a: 'b\nc' } },
      field: 'headers.a: ',
    },
    { rule: 'a member of another kind', body: { kind: 'reset', status: 500 }, field: 'body: .*"status"' },
    {
      rule: 'the kind unknown_status for CreateInvoice',
      body: { kind: 'unknown_status', operation: 'CreateInvoice' },
      field: 'operation: ',
    },
    {
      rule: 'the kind wrong_amount for FetchPaymentOptions',
      body: { kind: 'wrong_amount', operation: 'FetchPaymentOptions' },
      field: 'operation: ',
    },
    { rule: 'a body that is not an object', body: 'x', field: 'body: ' },
  ])
    it(`a fault with ${rule} is refused with an error that names the member`, async () => {
      const { status, message } = await new TestSandbox().send('PUT', '/sandbox/faults', JSON.stringify(body));
      assert.equal(status, 400);
      assert.match(message, new RegExp(`^${field}`));
    });
});
