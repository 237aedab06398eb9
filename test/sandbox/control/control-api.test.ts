import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { TestSandbox, type SandboxResponse } from '../test-sandbox.ts';

function listIds({ json }: SandboxResponse): readonly string[] {
  const { invoices } = z.object({ invoices: z.array(z.object({ id: z.string() })) }).parse(json);
  return invoices.map(({ id }) => id);
}

describe('the control API', () => {
  it('lists invoices, the newest first, filtered by external_id, and not more than the limit', async () => {
    const service = new TestSandbox();
    const a = await service.createId({ external_id: 'x' });
    const b = await service.createId({ external_id: 'y' });
    const c = await service.createId({ external_id: 'x' });
    assert.deepEqual(listIds(await service.send('GET', '/sandbox/invoices')), [c, b, a]);
    assert.deepEqual(listIds(await service.send('GET', '/sandbox/invoices?external_id=x')), [c, a]);
    assert.deepEqual(listIds(await service.send('GET', '/sandbox/invoices?limit=1')), [c]);
    assert.equal((await service.send('GET', '/sandbox/invoices?limit=none')).status, 400);
  });

  it('returns every member of an invoice', async () => {
    const service = new TestSandbox();
    const url_config = { hook_url: 'http://shop.test/hook' };
    const id = await service.createId({
      mode: 'TEST',
      payment_method_id: 'pm_card',
      url_config,
      metadata: { a: null },
    });
    const { json } = await service.send('GET', `/sandbox/invoices/${id}`);
    const { card, bank, nspk_url, payment_url, ...otherMembers } = json;
    for (const value of [card, bank, nspk_url, payment_url]) assert.notEqual(value, undefined);
    assert.deepEqual(otherMembers, {
      id,
      mode: 'TEST',
      amount: '1500.00',
      status: 'PENDING',
      created_at: '2026-11-20T10:00:00.000Z',
      expires_at: '2026-11-20T10:15:00.000Z',
      payment_method_id: 'pm_card',
      url_config,
      metadata: { a: null },
    });
  });

  for (const { method, path } of [
    { method: 'GET', path: '/sandbox/invoices/inv_none' },
    { method: 'POST', path: '/sandbox/invoices/inv_none/pay' },
    { method: 'DELETE', path: '/sandbox/faults/flt_none' },
    { method: 'GET', path: '/sandbox/nothing' },
    { method: 'POST', path: '/' },
  ])
    it(`answers 404 not_found to ${method} ${path}`, async () => {
      const { status, json } = await new TestSandbox().send(method, path);
      assert.equal(status, 404);
      assert.equal(json['code'], 'not_found');
    });

  it('changes only the settings in the body of a PUT, and applies them to the next request', async () => {
    const service = new TestSandbox();
    const initial = {
      repeated_external_id: 'new',
      qr_generation_ms: 150,
      invoice_lifetime_ms: 900_000,
      language: 'ru',
    };
    assert.deepEqual((await service.send('GET', '/sandbox/settings')).json, initial);
    const response = await service.send('PUT', '/sandbox/settings', {
      repeated_external_id: 'same',
      invoice_lifetime_ms: 5,
    });
    assert.deepEqual(response.json, { ...initial, repeated_external_id: 'same', invoice_lifetime_ms: 5 });
    assert.equal((await service.create({ external_id: 'a' }))['expires_at'], '2026-11-20T10:00:00.005Z');
  });

  it('has English names of banks and recipients after a change of the language', async () => {
    const service = new TestSandbox();
    assert.match(JSON.stringify(await service.create({ payment_method_id: 'pm_sbp' })), /Получатель/);
    await service.send('PUT', '/sandbox/settings', { language: 'en' });
    const texts = [
      await service.create({ payment_method_id: 'pm_sbp' }),
      (await service.call('FetchPaymentOptions')).json,
    ];
    assert.match(JSON.stringify(texts), /Sandbox Recipient.*Sberbank/);
    assert.doesNotMatch(JSON.stringify(texts), /[а-яё]/i);
  });

  for (const { body, field } of [
    { body: { repeated_external_id: 'other' }, field: 'repeated_external_id' },
    { body: { qr_generation_ms: -1 }, field: 'qr_generation_ms' },
    { body: { invoice_lifetime_ms: '5' }, field: 'invoice_lifetime_ms' },
    { body: { invoice_lifetime_ms: 0 }, field: 'invoice_lifetime_ms' },
    { body: { lifetime: 5 }, field: 'lifetime' },
  ])
    it(`refuses the settings ${JSON.stringify(body)} with an error that names ${field}`, async () => {
      const { status, message } = await new TestSandbox().send('PUT', '/sandbox/settings', body);
      assert.equal(status, 400);
      assert.match(message, new RegExp(field));
    });

  for (const { origin, allowed } of [
    { origin: 'http://localhost:8080', allowed: true },
    { origin: 'https://evil.example', allowed: false },
    { origin: 'http://localhost.evil.example', allowed: false },
    { origin: 'null', allowed: false },
  ])
    it(`${allowed ? 'allows' : 'refuses'} requests of pages with the origin ${origin}`, async () => {
      const service = new TestSandbox();
      const id = await service.createId();
      const { status, headers } = await service.send('POST', `/sandbox/invoices/${id}/pay`, undefined, { origin });
      assert.equal(status, allowed ? 200 : 403);
      assert.equal(headers.get('access-control-allow-origin'), allowed ? origin : null);
      assert.equal((await service.fetchOne(id))['status'], allowed ? 'PAID' : 'PENDING');
      const preflight = await service.send('OPTIONS', '/sandbox/faults', undefined, {
        origin,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'content-type',
      });
      assert.equal(preflight.status, allowed ? 204 : 403);
      assert.equal(preflight.headers.get('access-control-allow-methods')?.includes('PUT') ?? false, allowed);
    });

  it('allows pages of a loopback origin to read its error responses', async () => {
    const service = new TestSandbox();
    const headers = { origin: 'http://localhost:8080' };
    for (const [path, status] of [
      ['/sandbox/faults', 400],
      ['/sandbox/nothing', 404],
    ] as const) {
      const response = await service.send('PUT', path, {}, headers);
      assert.deepEqual(
        [response.status, response.headers.get('access-control-allow-origin')],
        [status, headers.origin],
      );
    }
  });

  it('refuses requests that pages of other sites send, and allows navigation', async () => {
    const service = new TestSandbox();
    const get = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await service.send('GET', '/sandbox/invoices', undefined, headers)).status;
    assert.equal(await get({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }), 403);
    assert.equal(await get({ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }), 403);
    assert.equal(await get({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }), 200);
    assert.equal(await get({ 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }), 200);
  });

  it('describes the effect, the operations and the members of a kind of fault', async () => {
    const { json } = await new TestSandbox().send('GET', '/sandbox/faults/kinds');
    const kinds = z.array(z.looseObject({ kind: z.string() })).parse(json['kinds']);
    assert.deepEqual(
      kinds.find(({ kind }) => kind === 'batch_refused'),
      {
        kind: 'batch_refused',
        description: 'refuses a request for more than `max_ids` invoices as a whole',
        operations: ['FetchInvoices'],
        members: ['max_ids', 'status'],
      },
    );
  });

  it('is served beside /healthz, which answers ok', async () => {
    assert.deepEqual((await new TestSandbox().send('GET', '/healthz')).json, { status: 'ok' });
  });
});
