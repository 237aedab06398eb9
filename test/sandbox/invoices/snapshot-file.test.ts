import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { createTemporaryPath, TestSandbox } from '../test-sandbox.ts';

const readIds = (file: string): readonly string[] =>
  (JSON.parse(readFileSync(file, 'utf8')) as { invoices: { id: string }[] }).invoices.map(({ id }) => id);

describe('the file of the sandbox', () => {
  it('is written a second after a change, as a whole, and is readable by its owner alone', async (t) => {
    const dataFile = createTemporaryPath(t);
    const service = new TestSandbox({ dataFile });
    assert.deepEqual(readIds(dataFile), []);
    const first = await service.createId();
    await service.clock.advance(500);
    const second = await service.createId();
    await service.clock.advance(499);
    assert.deepEqual(readIds(dataFile), []);
    await service.clock.advance(1);
    assert.deepEqual(readIds(dataFile), [first, second]);
    const third = await service.createId();
    await service.clock.advance(1000);
    assert.deepEqual(readIds(dataFile), [first, second, third]);
    assert.deepEqual(readdirSync(dirname(dataFile)), ['sandbox.json']);
    assert.equal(statSync(dataFile).mode & 0o777, 0o600);
  });

  it('is written when the sandbox closes, and the next sandbox has its invoices with their payments', async (t) => {
    const dataFile = createTemporaryPath(t);
    const service = new TestSandbox({ dataFile });
    const id = await service.createId({ external_id: 'o-1', amount: '2.50' });
    await service.send('POST', `/sandbox/invoices/${id}/pay`);
    await service.sandbox.close();
    const restarted = new TestSandbox({ dataFile });
    assert.equal((await restarted.fetchOne(id))['status'], 'PAID');
    assert.equal((await restarted.send('GET', '/sandbox/balance')).json['balance'], '2.50');
    assert.deepEqual([service.log, restarted.log], [[], []]);
  });

  it('that cannot be written is logged once, and is written as soon as it can', async (t) => {
    const dataFile = createTemporaryPath(t);
    const service = new TestSandbox({ dataFile });
    mkdirSync(`${dataFile}.new`); // a snapshot is first written beside the file
    const id = await service.createId();
    await service.clock.advance(2000);
    const line = /sandbox\.json cannot be written: EISDIR.*: make room, or name a file that this user can write$/;
    assert.equal(service.log.length, 1);
    assert.match(service.log[0] ?? '', line);
    rmdirSync(`${dataFile}.new`);
    await service.clock.advance(1000);
    assert.deepEqual(readIds(dataFile), [id]);
    assert.equal(service.log.length, 1);
  });

  for (const text of [
    '',
    'SQLite format 3\n…',
    '{"my":"notes"}',
    '{"sandbox":1,"invoices":[{"id":"inv_b"}]}',
    '{"sandbox":1',
  ])
    it(`is refused and not changed when it has other contents: ${JSON.stringify(text)}`, (t) => {
      const dataFile = createTemporaryPath(t);
      writeFileSync(dataFile, text);
      const message =
        /sandbox\.json is damaged, or is not a file of the sandbox: restore it from a copy, name another file, or/;
      assert.throws(() => new TestSandbox({ dataFile }), { name: 'SnapshotError', message });
      assert.equal(readFileSync(dataFile, 'utf8'), text);
    });

  for (const [path, message] of [
    ['.', /cannot be opened: EISDIR.*: name a file that this user can write$/],
    ['notes/sandbox.json', /cannot be opened: (?:ENOTDIR|EEXIST).*: name a file/],
    ['/proc/sandbox.json', /cannot be written: /],
  ] as const)
    it(`is refused at the path ${path}`, (t) => {
      const folder = createTemporaryPath(t);
      mkdirSync(folder);
      writeFileSync(join(folder, 'notes'), '');
      const dataFile = path.startsWith('/') ? path : join(folder, path);
      assert.throws(() => new TestSandbox({ dataFile }), { name: 'SnapshotError', message });
    });
});
