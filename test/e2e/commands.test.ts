import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CleanMachine } from '../package/clean-machine.ts';

// The commands of CONTRIBUTING.md and docs/sandbox.md that no other test runs, with arguments that make them shorter.
let machine: CleanMachine;
before(async () => {
  machine = await CleanMachine.empty({});
});
after(() => machine.remove());

const npmRun = `npm --prefix ${resolve('.')} run`;

describe('the commands of the project', { timeout: 300_000 }, () => {
  it('npm run dev serves the pages with live reload, and the widget from its sources', async () => {
    const dev = machine.start('sh', '-c', `NO_COLOR=1 ${npmRun} dev -- --port 0 --host 127.0.0.1`);
    const url = await dev.printed(/(http:\S+)/);
    const texts = await Promise.all(
      ['', 'pay-invoice.js', 'demo/gallery.html'].map(async (path) => (await fetch(`${url}${path}`)).text()),
    );
    assert.match(texts[0] ?? '', /@vite\/client/);
    assert.match(texts[1] ?? '', /customElements\.define/);
    assert.match(texts[2] ?? '', /\.\/gallery-page\.ts/);
  });

  it('npm run sandbox starts the sandbox from its sources, and keeps its invoices in DATA_DIR', async () => {
    const variables = `SANDBOX_PORT=0 DATA_DIR=${machine.folder}`;
    const sandbox = machine.start('sh', '-c', `${variables} ${npmRun} sandbox`);
    assert.match(await sandbox.printed(/Kept +(.*)/), new RegExp(machine.folder));
  });

  it('npm run screens takes screenshots of the named states', async () => {
    const screenshot = '.screens/paid.en.light.320.png';
    rmSync(screenshot, { force: true });
    await machine.run('sh', '-c', `${npmRun} screens -- paid en light 320`);
    assert.ok(existsSync(screenshot));
  });

  it('npm run pictures takes all pictures of the documents', async () => {
    await machine.run('sh', '-c', `${npmRun} pictures -- ${machine.folder}/pictures`);
    assert.deepEqual(readdirSync(`${machine.folder}/pictures`), readdirSync('docs/pictures'));
  });

  it('npm run test:fuzz tests the properties of a file for the given time', async () => {
    const output = await machine.run(
      'sh',
      '-c',
      `${npmRun} test:fuzz -- --seconds 1 --seed 7 test/service-api/duration`,
    );
    assert.match(output, /seed 7, 1 s for each property/);
    assert.match(output, /test\/service-api\/duration\.test\.ts/);
  });
});
