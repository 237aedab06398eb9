import assert from 'node:assert/strict';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { test, type TestContext } from 'node:test';
import { settle } from '../support/fake-clock.ts';
import { createTemporaryPath, TestSandbox } from './test-sandbox.ts';

// While the disk is full, the sandbox answers 503. When the disk has space again, it continues without a restart.

/** Simulates a disk that can be full: half of each write then still succeeds, and truncating the file may fail. */
function simulateDisk(t: TestContext) {
  const disk = { isFull: false, canTruncate: true };
  const { writeSync, ftruncateSync } = fs;
  const createDiskFullError = (): Error =>
    Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  t.mock.method(fs, 'writeSync', (descriptor: number, bytes: Buffer, offset: number) => {
    if (!disk.isFull) return writeSync(descriptor, bytes, offset);
    writeSync(descriptor, bytes, offset, Math.floor((bytes.length - offset) / 2));
    throw createDiskFullError();
  });
  t.mock.method(fs, 'ftruncateSync', (descriptor: number, size: number) => {
    if (!disk.canTruncate) throw createDiskFullError();
    ftruncateSync(descriptor, size);
  });
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.reset();
    syncBuiltinESMExports();
  });
  return disk;
}

for (const canTruncate of [true, false])
  test(`a create on a full disk is answered with 503 and stores no invoice, and no other invoice is lost (the file can be truncated: ${canTruncate})`, async (t) => {
    const disk = simulateDisk(t);
    const dataFile = createTemporaryPath(t);
    const sandbox = new TestSandbox({ dataFile });
    const before = await sandbox.createId({ external_id: 'before' });
    Object.assign(disk, { isFull: true, canTruncate });
    for (let count = 0; count < 3; count += 1) {
      const { status, json } = await sandbox.call('CreateInvoice', { amount: '1.00', external_id: 'refused' });
      assert.equal(status, 503);
      assert.deepEqual(json, { code: 'unavailable', message: 'the sandbox cannot store this now, try again' });
    }
    assert.match(sandbox.log[0] ?? '', /^CreateInvoice failed: \S+store\.jsonl cannot be written: ENOSPC/);
    const pay = await sandbox.send('POST', `/sandbox/invoices/${before}/pay`);
    assert.equal(pay.status, 503);
    assert.equal((await sandbox.fetchOne(before))['status'], 'PENDING');

    Object.assign(disk, { isFull: false, canTruncate: true });
    const after = await sandbox.createId({ external_id: 'after' });
    assert.equal((await sandbox.send('POST', `/sandbox/invoices/${before}/pay`)).status, 200);
    await sandbox.sandbox.close();

    const restarted = new TestSandbox({ dataFile });
    assert.deepEqual(restarted.log, []);
    assert.equal((await restarted.fetchOne(before))['status'], 'PAID');
    assert.equal((await restarted.fetchOne(after))['status'], 'PENDING');
    const { text } = await restarted.send('GET', '/sandbox/invoices');
    assert.doesNotMatch(text, /refused/);
  });

test('an expiry that cannot be stored does not end the process, and is stored once the disk has space', async (t) => {
  const disk = simulateDisk(t);
  const sandbox = new TestSandbox({ dataFile: createTemporaryPath(t), invoiceLifetimeMs: 1000 });
  const id = await sandbox.createId();
  disk.isFull = true;
  await sandbox.clock.advance(1000);
  assert.match(sandbox.log.at(-1) ?? '', /^Expiry failed: .* cannot be written: ENOSPC/);
  assert.equal((await sandbox.call('FetchInvoices', { ids: [id] })).status, 503);
  disk.isFull = false;
  await sandbox.clock.advance(1000);
  assert.match((await sandbox.send('GET', `/sandbox/invoices/${id}`)).text, /"EXPIRED"/);
});

test('the result of a webhook that cannot be stored is stored later, and the webhook is sent once', async (t) => {
  const disk = simulateDisk(t);
  const dataFile = createTemporaryPath(t);
  let webhookCount = 0;
  const sendWebhook = (): Promise<Response> => {
    webhookCount += 1;
    disk.isFull = true;
    return Promise.resolve(new Response());
  };
  const sandbox = new TestSandbox({ dataFile, sendWebhook });
  const id = await sandbox.createId({ url_config: { hook_url: 'http://shop.test/hook' } });
  await sandbox.send('POST', `/sandbox/invoices/${id}/pay`);
  await settle(20);
  assert.match(sandbox.log.at(-1) ?? '', /^The result of a hook could not be stored: /);
  await sandbox.clock.advance(3000);
  disk.isFull = false;
  await sandbox.clock.advance(1000);
  await sandbox.sandbox.close();
  assert.equal(webhookCount, 1);
  const restarted = new TestSandbox({ dataFile, sendWebhook });
  await settle(20);
  assert.equal(webhookCount, 1, 'the restarted sandbox does not repeat the webhook');
  await restarted.sandbox.close();
});

test('a new journal on a full disk is refused with a message of one line that names the file', (t) => {
  const disk = simulateDisk(t);
  const dataFile = createTemporaryPath(t);
  disk.isFull = true;
  assert.throws(
    () => new TestSandbox({ dataFile }),
    ({ name, message }: Error) =>
      name === 'JournalError' && message === `${dataFile} cannot be written: ENOSPC: no space left on device, write`,
  );
});
