import assert from 'node:assert/strict';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { installNode } from '../../scripts/install-node.ts';
import { CleanMachine } from './clean-machine.ts';

let machine: CleanMachine;
before(async () => {
  machine = await CleanMachine.withPackage();
});
after(() => machine.remove());

describe('a machine with only the package installed', { timeout: 300_000 }, () => {
  it('has the four libraries that the package imports, and none of the example', async () => {
    const installedPackages = (await machine.run('npm', 'ls', '--all', '--parseable'))
      .split('\n')
      .map((line) => basename(line));
    for (const name of ['hono', 'libsql', 'express', 'pg']) assert.ok(!installedPackages.includes(name), name);
    for (const name of ['pay-invoice', 'kysely', 'lit', 'qrcode', 'zod'])
      assert.ok(installedPackages.includes(name), name);
  });

  const serverVariables = ['PORT=0', 'SANDBOX_PORT=0', 'DATA_DIR=kept'];

  it('serves a trial with nothing else on Node 22.13, keeps it in files of its owner, and prints the tables on any version', async () => {
    const node = installNode('22.13.0');
    if (typeof node === 'string') throw new Error(node);
    const program = machine.start('env', ...serverVariables, node.binary, 'node_modules/.bin/pay-invoice-server');
    await program.printed(/Checkout server +(http:\S+)/);
    await program.printed(/Sandbox +(http:\S+)/);
    assert.equal(await program.printed(/Database +(\S.*)/), 'SQLite kept/checkouts.db (node:sqlite)');
    const files = (await readdir(join(machine.folder, 'kept'))).sort();
    assert.deepEqual(files, ['checkouts.db', 'checkouts.db-shm', 'checkouts.db-wal', 'sandbox.json']);
    for (const file of files) assert.equal((await stat(join(machine.folder, 'kept', file))).mode & 0o777, 0o600, file);
    assert.equal(await program.stop(), 0);
    assert.match(await machine.run('pay-invoice-server', 'ddl'), /create table pay_invoice_checkouts/);
    assert.match(await machine.run('pay-invoice-server', 'ddl', '--postgres'), /create table "pay_invoice"\.checkouts/);
  });

  it(
    'says in one line what to do on a Node without SQLite',
    { skip: process.getBuiltinModule('node:sqlite') !== undefined },
    async () => {
      const run = machine.run('env', ...serverVariables, 'pay-invoice-server');
      await assert.rejects(
        run,
        /\nCannot start: .*Node 20\S+ has no SQLite: use Node 22.13 or later, or run npm install libsql\n$/,
      );
    },
  );

  it('has programs that print their help and reject wrong arguments', async () => {
    for (const bin of ['pay-invoice-server', 'pay-invoice-sandbox', 'pay-invoice-conformance'])
      assert.match(await machine.run(bin, '--help'), new RegExp(`^Usage: ${bin}`));
    assert.match(await machine.run('pay-invoice-server', '--version'), /^\d+\.\d+\.\d+\n$/);
    await assert.rejects(machine.run('pay-invoice-server', 'delete'), /unknown argument: delete/);
    await assert.rejects(machine.run('pay-invoice-sandbox', '--port', 'no'), /--port must be a whole number/);
    await assert.rejects(machine.run('pay-invoice-conformance'), /name one endpoint/);
  });
});
