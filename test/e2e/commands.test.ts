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

const project = `npm --prefix ${resolve('.')} run`;

describe('a command of the project', { timeout: 300_000 }, () => {
  it('serves the pages with live reload, the widget from its source: npm run dev', async () => {
    const dev = machine.start('sh', '-c', `NO_COLOR=1 ${project} dev -- --port 0 --host 127.0.0.1`);
    const url = await dev.printed(/(http:\S+)/);
    const texts = await Promise.all(
      ['', 'pay-invoice.js', 'demo/gallery.html'].map(async (path) => (await fetch(`${url}${path}`)).text()),
    );
    assert.match(texts[0] ?? '', /@vite\/client/);
    assert.match(texts[1] ?? '', /customElements\.define/);
    assert.match(texts[2] ?? '', /\.\/gallery-page\.ts/);
  });

  it('starts the sandbox from its sources, and keeps its invoices: npm run sandbox', async () => {
    const variables = `SANDBOX_PORT=0 DATA_DIR=${machine.folder}`;
    const sandbox = machine.start('sh', '-c', `${variables} ${project} sandbox`);
    assert.match(await sandbox.printed(/Kept +(.*)/), new RegExp(machine.folder));
  });

  it('takes pictures of the named states: npm run screens', async () => {
    const picture = '.screens/paid.en.light.320.png';
    rmSync(picture, { force: true });
    await machine.run('sh', '-c', `${project} screens -- paid en light 320`);
    assert.ok(existsSync(picture));
  });

  it('takes all pictures of the documents: npm run pictures', async () => {
    await machine.run('sh', '-c', `${project} pictures -- ${machine.folder}/pictures`);
    assert.deepEqual(readdirSync(`${machine.folder}/pictures`), readdirSync('docs/pictures'));
  });

  it('measures the checkout server, hono and node:http: npm run bench:server', async () => {
    const output = await machine.run('sh', '-c', `${project} bench:server -- --rounds 1 --seconds 0.2 --checkouts 10`);
    for (const subject of ['node:http', 'hono', 'checkout server']) assert.ok(output.includes(subject), output);
  });

  it('tests the properties of a file for the given time: npm run test:fuzz', async () => {
    const output = await machine.run('sh', '-c', `${project} test:fuzz -- --seconds 1 --seed 7 test/contract/duration`);
    assert.match(output, /seed 7, 1 s for each property/);
    assert.match(output, /test\/contract\/duration\.test\.ts/);
  });
});
