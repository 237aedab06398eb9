import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { listen, type Listening } from '../mounts/listen.ts';
import { adminToken } from '../support/buyer.ts';
import { ExampleShop, findFreePort, languages } from './example-shop.ts';
import { secret, vectors } from './webhook-vectors.ts';

const otherSecret = `whsec_${Buffer.from('another secret of 24 byt').toString('base64')}`;

/** The requests that the shop sent to the checkout server. */
const requests: { readonly authorization: string | undefined; readonly body: string }[] = [];
let isCheckoutServerUp = true;
const checkoutServer = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
  request.on('end', () => {
    requests.push({ authorization: request.headers.authorization, body });
    response.writeHead(isCheckoutServerUp ? 201 : 503, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: 'co_of_this_order', capability: 'chk_of_this_order', status: 'open' }));
  });
});

/** Creates an outcome as the checkout server sends it. */
const outcomeOf = (orderId: string, changes: Readonly<Record<string, unknown>> = {}) => ({
  id: `inv_${orderId}.paid`,
  sequence: 1,
  kind: 'paid',
  order_id: orderId,
  checkout_id: 'co_of_this_order',
  invoice_id: 'a8ae5fd8',
  external_id: `inv_${orderId}`,
  amount: '1500.00',
  expected_amount: '1500.00',
  mode: 'TEST',
  occurred_at: new Date().toISOString(),
  ...changes,
});

for (const language of languages)
  describe(`the shop in ${language.name}`, { skip: language.reasonToSkip }, () => {
    let server: Listening;
    let shop: ExampleShop;
    before(async () => {
      server = await listen(checkoutServer, '');
      const environment = { CHECKOUT_SERVER: server.endpoint, ADMIN_TOKEN: adminToken };
      shop = await ExampleShop.start(language, await findFreePort(), environment);
    });
    after(async () => {
      await shop.stop();
      await server.close();
    });

    it('creates a checkout with its own price', async () => {
      requests.splice(0);
      const id = await shop.placeOrder();
      const [{ authorization, body } = assert.fail(), ...otherRequests] = requests;
      assert.deepEqual(otherRequests, []);
      assert.equal(authorization, `Bearer ${adminToken}`);
      const success_url = `${shop.url}/orders/${id}`;
      const reference = id.slice(0, 8);
      assert.deepEqual(JSON.parse(body), { order_id: id, reference, amount: '1500.00', currency: 'RUB', success_url });
      assert.equal(await shop.fetchStatus(id), 'new');
    });

    it('answers an order without a redirect when the checkout server fails', async () => {
      isCheckoutServerUp = false;
      await assert.rejects(shop.placeOrder());
      isCheckoutServerUp = true;
    });

    for (const [title, changes] of [
      ['a payment in another mode', { kind: 'test_payment', mode: 'LIVE' }],
      ['an invoice without an end', { kind: 'invoice_unresolved' }],
      ['a create without a known result', { kind: 'create_unresolved', invoice_id: null }],
      ['a kind of a later version', { kind: 'refunded' }],
    ] as const)
      it(`lists ${title} for the staff, and leaves the order unpaid`, async () => {
        const id = await shop.placeOrder();
        assert.equal(await shop.sendOutcome(outcomeOf(id, changes)), 204);
        assert.equal(await shop.fetchStatus(id), 'new');
        const listedOutcome = { mode: 'TEST', amount: '1500.00', ...changes };
        const text = `<li>${listedOutcome.kind} ${listedOutcome.mode} ${listedOutcome.amount} ${id} inv_${id}`;
        assert.ok((await (await shop.fetchStaffPage()).text()).includes(text), text);
      });

    it('lists a payment of an unknown order for the staff', async () => {
      assert.equal(await shop.sendOutcome(outcomeOf('ord_of_another_shop')), 204);
      assert.match(await (await shop.fetchStaffPage()).text(), /ord_of_another_shop/);
    });

    it('accepts the signatures of the vectors that are valid, and no others, also none when its own secret is wrong', () => {
      const [program, ...args] = language.checkVectors;
      const check = (ownSecret: string) =>
        spawnSync(program, args, { input: JSON.stringify({ secret: ownSecret, vectors }), encoding: 'utf8' });
      const { stdout, stderr } = check(secret);
      assert.equal(stderr, '');
      const accepted = JSON.parse(stdout) as readonly boolean[];
      assert.deepEqual(
        vectors.map(({ title }, index) => ({ title, valid: accepted[index] })),
        vectors.map(({ title, valid }) => ({ title, valid })),
      );
      for (const wrongSecret of ['', 'whsec_c2hvcnQ=', secret.replace('whsec_', 'secret')]) {
        const result = check(wrongSecret);
        assert.notEqual(result.status, 0);
        assert.doesNotMatch(result.stdout, /true/);
      }
    });

    it('rejects an outcome that is signed with another secret', async () => {
      const id = await shop.placeOrder();
      assert.equal(await shop.sendOutcome(outcomeOf(id), otherSecret), 401);
      assert.equal(await shop.fetchStatus(id), 'new');
    });

    it('does not confirm an outcome that it could not store, and applies the outcome when it is sent a second time', async () => {
      const id = await shop.placeOrder();
      const database = new DatabaseSync(shop.databaseFile);
      // The change of the order fails, so that the stored outcome must be rolled back.
      database.exec(`CREATE TRIGGER full BEFORE UPDATE ON orders BEGIN SELECT RAISE(ABORT, 'disk full'); END`);
      const isConfirmed = await shop.sendOutcome(outcomeOf(id)).then(
        (status) => status < 300,
        () => false, // the connection was closed
      );
      assert.equal(isConfirmed, false);
      assert.equal(await shop.fetchStatus(id), 'new');
      database.exec('DROP TRIGGER full');
      database.close();
      assert.equal(await shop.sendOutcome(outcomeOf(id)), 204);
      assert.equal(await shop.fetchStatus(id), 'paid');
    });

    it('shows the payments for staff to nobody without the password', async () => {
      for (const password of ['', 'wrong', 'пароль']) assert.equal((await shop.fetchStaffPage(password)).status, 401);
      assert.equal((await fetch(`${shop.url}/staff`)).status, 401);
    });

    it('answers requests for unknown addresses with 404', async () => {
      for (const path of ['/orders/unknown', '/other', '/outcomes.php', '/outcomes.py'])
        assert.equal((await fetch(`${shop.url}${path}`)).status, 404, path);
    });
  });
