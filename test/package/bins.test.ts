import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findNode } from '../../scripts/find-node.ts';
import { CleanMachine } from './clean-machine.ts';

const bins = ['pay-invoice-server', 'pay-invoice-sandbox', 'pay-invoice-conformance'];

let machine: CleanMachine;
before(async () => {
  machine = await CleanMachine.withPackage();
});
after(() => machine.remove());

/** Runs a program of the package on another version of Node. */
const runOn = (node: string, program: string, ...args: readonly string[]) =>
  spawnSync(node, [join('node_modules/.bin', program), ...args], { cwd: machine.folder, encoding: 'utf8' });

describe('a machine with only the package installed', { timeout: 300_000 }, () => {
  it('has three libraries with what they bring, and nothing else', async () => {
    const lines = (await machine.run('npm', 'ls', '--all', '--parseable')).trim().split('\n').slice(1);
    assert.deepEqual(lines.map((line) => line.split('/node_modules/').at(-1)).sort(), [
      '@lit-labs/ssr-dom-shim',
      '@lit/reactive-element',
      '@types/trusted-types',
      'kysely',
      'lit',
      'lit-element',
      'lit-html',
      'pay-invoice',
      'zod',
    ]);
  });

  const serverVariables = ['PORT=0', 'SANDBOX_PORT=0', 'DATA_DIR=kept'];

  it('serves a trial with nothing else on the oldest supported Node, keeps it in files of its owner, and prints the tables on any version', async () => {
    const node = findNode('22.18.0');
    const program = machine.start('env', ...serverVariables, node, 'node_modules/.bin/pay-invoice-server');
    await program.printed(/Checkout server +(http:\S+)/);
    await program.printed(/Sandbox +(http:\S+)/);
    assert.equal(await program.printed(/Database +(\S.*)/), 'SQLite kept/checkouts.db');
    const files = (await readdir(join(machine.folder, 'kept'))).sort();
    assert.deepEqual(files, ['checkouts.db', 'checkouts.db-shm', 'checkouts.db-wal', 'sandbox.json']);
    for (const file of files) assert.equal((await stat(join(machine.folder, 'kept', file))).mode & 0o777, 0o600, file);
    assert.equal(await program.stop(), 0);
    const migration = runOn(node, 'pay-invoice-server', 'migrate');
    assert.deepEqual([migration.status, migration.stderr], [0, ''], 'Node warns of its SQLite'); // on 22 and 24 it would
    assert.match(await machine.run('pay-invoice-server', 'ddl'), /create table pay_invoice_checkouts/);
    assert.match(await machine.run('pay-invoice-server', 'ddl', '--postgres'), /create table "pay_invoice"\.checkouts/);
  });

  for (const version of ['18.20.8', '22.17.1'])
    it(`has programs that say in one line that Node ${version} is too old, and fail`, () => {
      const line = `Cannot start: this is Node.js ${version}, and 22.18 or later is needed\n`;
      const node = findNode(version);
      for (const name of bins) {
        const { status, stdout, stderr } = runOn(node, name);
        assert.deepEqual([status, stdout, stderr], [1, '', line]);
      }
    });

  it('has programs that print their help and reject wrong arguments', async () => {
    for (const bin of bins) assert.match(await machine.run(bin, '--help'), new RegExp(`^Usage: ${bin}`));
    assert.match(await machine.run('pay-invoice-server', '--version'), /^\d+\.\d+\.\d+\n$/);
    await assert.rejects(machine.run('pay-invoice-server', 'delete'), /unknown argument: delete/);
    await assert.rejects(machine.run('pay-invoice-server', 'find'), /arguments are missing or wrong: find/);
    await assert.rejects(machine.run('pay-invoice-sandbox', '--port', 'no'), /--port must be a whole number/);
    await assert.rejects(machine.run('pay-invoice-conformance'), /name one endpoint/);
  });
});
