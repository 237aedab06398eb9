import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import type { Operation } from '../../../src/contract.ts';
import { settle } from '../../support/fake-clock.ts';
import { TestSandbox, serviceRequest, type Json } from '../test-sandbox.ts';

async function withFault(...faults: readonly Json[]): Promise<TestSandbox> {
  const service = new TestSandbox();
  for (const fault of faults) {
    const { status, text } = await service.send('PUT', '/sandbox/faults', fault);
    assert.equal(status, 200, text);
  }
  return service;
}

async function countInvoices(service: TestSandbox): Promise<number> {
  const { json } = await service.send('GET', '/sandbox/invoices');
  return z.array(z.unknown()).parse(json['invoices']).length;
}

async function firedOf(service: TestSandbox): Promise<readonly number[]> {
  const { json } = await service.send('GET', '/sandbox/faults');
  return z
    .array(z.object({ fired: z.number() }))
    .parse(json['faults'])
    .map(({ fired }) => fired);
}

/** Calls an operation `count` times, and resolves with the statuses. */
async function statuses(service: TestSandbox, count: number, operation: Operation = 'FetchPaymentOptions') {
  const list: number[] = [];
  for (let index = 0; index < count; index += 1) list.push((await service.call(operation, { amount: '1' })).status);
  return list;
}

const createRequest = (): Request => serviceRequest('CreateInvoice', { amount: '1500.00' });

describe('faults', () => {
  it('latency delays the response, and latencies add up', async () => {
    const service = await withFault({ kind: 'latency', ms: 3000 }, { kind: 'latency', ms: 500 });
    const before = service.clock.now();
    assert.equal((await service.call('FetchPaymentOptions')).status, 200);
    assert.equal(service.clock.now() - before, 3500);
  });

  for (const { rule, fault, status, text, type } of [
    {
      rule: 'the error that fits it',
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
    it(`status answers with the status and ${rule}, and creates no invoice`, async () => {
      const service = await withFault({ operation: 'CreateInvoice', kind: 'status', ...fault });
      const answer = await service.call('CreateInvoice', { amount: '1' });
      assert.equal(answer.status, status);
      assert.match(answer.text, text);
      assert.equal(answer.headers.get('content-type'), type);
      assert.equal(answer.headers.get('retry-after'), 'headers' in fault ? '7' : null);
      assert.equal(await countInvoices(service), 0);
    });

  it('status with after_work creates the invoice, and answers with the status', async () => {
    const service = await withFault({ kind: 'status', status: 504, after_work: true });
    assert.equal((await service.call('CreateInvoice', { amount: '1' })).status, 504);
    assert.equal(await countInvoices(service), 1);
  });

  for (const { kind, made } of [
    { kind: 'reset', made: 0 },
    { kind: 'lost', made: 1 },
  ])
    it(`${kind} drops the connection after ${made} invoices were created`, async () => {
      const service = await withFault({ operation: 'CreateInvoice', kind, times: 1 });
      await assert.rejects(service.sandbox.fetch(createRequest()), (error: unknown) => {
        assert.ok(error instanceof TypeError);
        assert.match(String(error.cause), /ECONNRESET/);
        return true;
      });
      assert.equal(await countInvoices(service), made);
      assert.equal((await service.call('CreateInvoice', { amount: '1' })).status, 200);
    });

  it('truncate creates the invoice, sends half of the body, and drops the connection', async () => {
    const service = await withFault({ kind: 'truncate' });
    const response = await service.sandbox.fetch(createRequest());
    assert.equal(response.status, 200);
    const parts: string[] = [];
    await assert.rejects(async () => {
      for await (const part of response.body ?? []) parts.push(new TextDecoder().decode(part));
    }, TypeError);
    assert.match(parts.join(''), /^\{"id":"inv_/);
    assert.throws(() => void JSON.parse(parts.join('')));
    assert.equal(await countInvoices(service), 1);
  });

  it('garbage answers 200 with a body that is not JSON, the default one or a given one', async () => {
    const own = await (await withFault({ kind: 'garbage' })).call('FetchPaymentOptions');
    assert.deepEqual([own.status, own.text.startsWith('<!doctype html>')], [200, true]);
    const given = await (await withFault({ kind: 'garbage', body: '{"id":' })).call('FetchPaymentOptions');
    assert.equal(given.text, '{"id":');
  });

  it('stall sends half of the body, and nothing more until the caller aborts', async () => {
    const service = await withFault({ kind: 'stall' });
    const caller = new AbortController();
    const response = await service.sandbox.fetch(new Request(createRequest(), { signal: caller.signal }));
    const reader = response.body?.getReader();
    assert.equal((await reader?.read())?.done, false);
    const next = assert.rejects(async () => reader?.read(), { name: 'AbortError' });
    await settle(5);
    caller.abort();
    await next;
  });

  it('stall at the headers sends nothing, and ends when the sandbox is closed', async () => {
    const service = await withFault({ kind: 'stall', at: 'headers' });
    let isSettled = false;
    const answer = service.sandbox.fetch(createRequest()).finally(() => (isSettled = true));
    const refused = assert.rejects(answer, /closed/);
    await settle(5);
    assert.equal(isSettled, false);
    await service.sandbox.close();
    await refused;
  });

  for (const at of ['headers', 'body'])
    it(`stall at the ${at} continues after \`ms\``, async () => {
      const service = await withFault({ kind: 'stall', at, ms: 2000 });
      const before = service.clock.now();
      assert.match(JSON.stringify(await service.create()), /inv_/);
      assert.equal(service.clock.now() - before, 2000);
    });

  for (const { amount, wrong } of [
    { amount: '1500.00', wrong: '1500.01' },
    { amount: '99.99', wrong: '99.98' },
    { amount: '7', wrong: '8' },
  ])
    it(`wrong_amount sends ${wrong} for ${amount} in a created and in a fetched invoice, and stores the right amount`, async () => {
      const service = await withFault({ kind: 'wrong_amount', times: 2 });
      const { id, amount: created } = await service.create({ amount });
      assert.equal(created, wrong);
      assert.equal((await service.fetchOne(z.string().parse(id)))['amount'], wrong);
      assert.equal((await service.fetchOne(z.string().parse(id)))['amount'], amount);
    });

  for (const { value, status } of [
    { value: undefined, status: 'SANDBOX_UNKNOWN' },
    { value: 'ON_HOLD', status: 'ON_HOLD' },
    { value: 5, status: 5 },
  ])
    it(`unknown_status sends the status ${status} in a fetched invoice, and stores the right status`, async () => {
      const service = await withFault({ kind: 'unknown_status', ...(value !== undefined && { value }), times: 1 });
      const id = await service.createId();
      assert.equal((await service.fetchOne(id))['status'], status);
      assert.equal((await service.fetchOne(id))['status'], 'PENDING');
    });

  it('a fault applies only to its operation and at most `times` times, and counts how often', async () => {
    const service = await withFault({ operation: 'FetchPaymentOptions', kind: 'status', status: 500, times: 2 });
    assert.deepEqual(await statuses(service, 2, 'CreateInvoice'), [200, 200]);
    assert.deepEqual(await statuses(service, 3), [500, 500, 200]);
    assert.deepEqual(await firedOf(service), [2]);
  });

  it('a fault without `times` applies until the faults are cleared', async () => {
    const service = await withFault({ kind: 'status', status: 503 });
    assert.deepEqual(await statuses(service, 4), [503, 503, 503, 503]);
    await service.send('DELETE', '/sandbox/faults');
    assert.deepEqual(await statuses(service, 1), [200]);
    assert.deepEqual(await firedOf(service), []);
  });

  it('one fault can be removed', async () => {
    const service = await withFault({ kind: 'status', status: 500 }, { kind: 'latency', ms: 1 });
    const { text } = await service.send('DELETE', '/sandbox/faults/flt_1');
    assert.equal(text, '{"faults":[{"id":"flt_2","operation":"*","kind":"latency","ms":1,"fired":0}]}');
  });

  it('of two faults that decide the response only the first applies, and the second applies to the next request', async () => {
    const service = await withFault(
      { kind: 'status', status: 500, times: 1 },
      { kind: 'status', status: 502, times: 1 },
    );
    assert.deepEqual(await statuses(service, 3), [500, 502, 200]);
  });

  it('a list of faults is added completely or not at all', async () => {
    const service = await withFault();
    const good = { kind: 'latency', ms: 1 };
    const refused = await service.send('PUT', '/sandbox/faults', [good, { kind: 'latency' }]);
    assert.equal(refused.status, 400);
    assert.match(refused.message, /^1\.ms: /);
    assert.deepEqual(await firedOf(service), []);
    await service.send('PUT', '/sandbox/faults', [good, good]);
    assert.deepEqual(await firedOf(service), [0, 0]);
  });

  it('a fault applies to the share `probability` of requests, and a seed makes the choice repeatable', async () => {
    const fault = { kind: 'status', status: 500, probability: 0.3, seed: 42 };
    const [first, second] = [await withFault(fault), await withFault(fault)];
    const answered = await statuses(first, 200);
    assert.deepEqual(await statuses(second, 200), answered);
    const share = answered.filter((status) => status === 500).length / 200;
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
    { rule: 'latency without ms', body: { kind: 'latency' }, field: 'ms: ' },
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
      rule: 'unknown_status at CreateInvoice',
      body: { kind: 'unknown_status', operation: 'CreateInvoice' },
      field: 'operation: ',
    },
    {
      rule: 'wrong_amount at options',
      body: { kind: 'wrong_amount', operation: 'FetchPaymentOptions' },
      field: 'operation: ',
    },
    { rule: 'a body that is not an object', body: 'x', field: 'body: ' },
  ])
    it(`${rule} is refused with an error that names it`, async () => {
      const { status, message } = await new TestSandbox().send('PUT', '/sandbox/faults', JSON.stringify(body));
      assert.equal(status, 400);
      assert.match(message, new RegExp(`^${field}`));
    });
});
