import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TestSandbox } from '../test-sandbox.ts';

const lifetimeMs = 15 * 60_000;

async function fetchStatus(service: TestSandbox, id: string): Promise<unknown> {
  return (await service.fetchOne(id))['status'];
}

describe('an invoice of the sandbox', () => {
  it('§3 is PENDING before expires_at, and EXPIRED from expires_at on', async () => {
    const service = new TestSandbox();
    const id = await service.createId();
    await service.clock.advance(lifetimeMs - 1);
    assert.equal(await fetchStatus(service, id), 'PENDING');
    await service.clock.advance(1);
    assert.equal(await fetchStatus(service, id), 'EXPIRED');
  });

  for (const { path, from, to } of [
    { path: 'pay', from: 'PENDING', to: 'PAID' },
    { path: 'pay', from: 'EXPIRED', to: 'PAID' },
    { path: 'pay', from: 'FAILED', to: 'PAID' },
    { path: 'pay', from: 'PAID', to: 'PAID' },
    { path: 'fail', from: 'PENDING', to: 'FAILED' },
    { path: 'fail', from: 'FAILED', to: 'FAILED' },
    { path: 'fail', from: 'PAID', to: null },
    { path: 'fail', from: 'EXPIRED', to: null },
    { path: 'expire', from: 'PENDING', to: 'EXPIRED' },
    { path: 'expire', from: 'EXPIRED', to: 'EXPIRED' },
    { path: 'expire', from: 'PAID', to: null },
    { path: 'expire', from: 'SOMETHING', to: null },
  ])
    it(`§3 ${to === null ? `refuses ${path} in the status ${from}` : `has the status ${to} after ${path} in the status ${from}`}`, async () => {
      const service = new TestSandbox();
      const id = await service.createId();
      if (from !== 'PENDING') await service.send('POST', `/sandbox/invoices/${id}/status`, { status: from });
      const { status, json, message } = await service.send('POST', `/sandbox/invoices/${id}/${path}`);
      assert.equal(status, to === null ? 400 : 200);
      if (to === null) assert.match(message, new RegExp(`^status: .*${from}`));
      else assert.equal(json['status'], to);
      assert.equal(await fetchStatus(service, id), to ?? from);
    });

  it('keeps the status PAID after expires_at', async () => {
    const service = new TestSandbox();
    const id = await service.createId();
    await service.send('POST', `/sandbox/invoices/${id}/pay`);
    await service.clock.advance(2 * lifetimeMs);
    assert.equal(await fetchStatus(service, id), 'PAID');
  });

  it('has the current time as expires_at after expire', async () => {
    const service = new TestSandbox();
    const id = await service.createId();
    await service.clock.advance(1000);
    await service.send('POST', `/sandbox/invoices/${id}/expire`);
    assert.equal((await service.fetchOne(id))['expires_at'], '2026-11-20T10:00:01.000Z');
  });

  for (const status of ['PROCESSING', 'paid', 7, 0])
    it(`§3 keeps the status ${JSON.stringify(status)} that the control API has set`, async () => {
      const service = new TestSandbox();
      const id = await service.createId();
      await service.send('POST', `/sandbox/invoices/${id}/status`, { status });
      await service.clock.advance(2 * lifetimeMs);
      assert.equal(await fetchStatus(service, id), status);
    });

  for (const body of [{}, { status: null }, { status: '' }, { status: 1.5 }, { status: ['PAID'] }])
    it(`is not changed by the status body ${JSON.stringify(body)}, which is refused with an error that names the status`, async () => {
      const service = new TestSandbox();
      const { status, message } = await service.send(
        'POST',
        `/sandbox/invoices/${await service.createId()}/status`,
        body,
      );
      assert.equal(status, 400);
      assert.match(message, /^status: /);
    });

  it('§4.1 rule 1: increases the balance once when it is LIVE or has no mode, and never when it is TEST', async () => {
    const service = new TestSandbox();
    const pay = async (amount: string, mode: string | null): Promise<unknown> => {
      const id = await service.createId({ amount, mode });
      await service.send('POST', `/sandbox/invoices/${id}/pay`);
      await service.send('POST', `/sandbox/invoices/${id}/status`, { status: 'FAILED' });
      await service.send('POST', `/sandbox/invoices/${id}/pay`);
      return (await service.send('GET', '/sandbox/balance')).json['balance'];
    };
    assert.equal(await pay('1500.00', 'TEST'), '0.00');
    assert.equal(await pay('0.10', 'LIVE'), '0.10');
    assert.equal(await pay('0.20', null), '0.30');
  });
});
