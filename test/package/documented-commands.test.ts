import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { shippedDocuments, readDocument, type Document } from '../docs/documents.ts';
import { findFreePort } from '../example-shops/example-shop.ts';
import { Buyer } from '../support/buyer.ts';
import { until } from '../support/wait-until.ts';
import { CleanMachine, pack, type Program } from './clean-machine.ts';

// Runs the commands of each shipped page as a reader does: one after the other, in a folder of its own, with the packed
// package. The Russian pages have the same ones.

/** What cannot run there, and what runs it instead. */
const elsewhere: readonly (readonly [command: RegExp, reason: string])[] = [
  [/^npm ci &&/, 'in a clone of the repository: scripts/check-readme-commands.ts, and CI'],
  [/^docker /, 'with Docker, in the repository: docker-image.test.ts executes the Dockerfile'],
  ...(spawnSync('go', ['version']).status === 0 ? [] : [[/go run/, 'where Go is installed'] as const]),
];

/** Programs that run until they are stopped, and the documented ports at which they answer. */
const programs: readonly (readonly [command: RegExp, ...ports: string[]])[] = [
  [/npx pay-invoice-server(?: &)?$/, '8080', '8081'],
  [/^node main\.ts$/, '8080', '8081'],
  [/^npx pay-invoice-sandbox/, '8081'],
  [/^node shop\.ts$/, '8080'],
  [/^php -S|shop\.py$|go run/, '8000'],
];

/** What a page makes up, and what an earlier command printed that stands there. */
const madeUp: readonly (readonly [name: string, printed: RegExp])[] = [
  ['co_9f0c', /"id": ?"(co_[\w-]+)"/],
  ['chk_…', /"capability": ?"(chk_[\w-]+)"/],
  ['att_9f0c.paid', /"id": ?"(att_[\w-]+\.[\w.]+)"/],
];

/** Commands for what a page asks for in its text: a backend with a checkout. */
const firstCommands: Readonly<Record<string, readonly string[]>> = {
  'docs/conformance.md': [
    'npx pay-invoice-server',
    `curl http://127.0.0.1:8080/admin/checkouts -H "Authorization: Bearer $ADMIN_TOKEN" -H "Content-Type: application/json" -d '{ "order_id": "1000", "amount": "1500.00", "currency": "RUB" }'`,
  ],
};

/** An address that a page says to open: the first program that it starts on the port has it. */
const openedAddress = /\bopen[^`.]* `http:\/\/127\.0\.0\.1:(\d+)([^`\d][^`]*)?`/gi;

/** A command in a sentence, with its arguments. */
const inSentence = /`(npx pay-invoice-server [^`…]+)`/g;

/**
 * What a command of the conformance checks gets besides. There is no backend with `artisan` here: the list of checks is printed
 * after the arguments are read. All checks of a server take two minutes, and test/conformance/deployments.slow.test.ts has them.
 */
const moreArguments = (command: string): string =>
  command.includes('artisan')
    ? ' --list'
    : command.startsWith('npx pay-invoice-conformance')
      ? ' --only checkout.answers,paid.seen'
      : '';

const systemFolders = (process.env['PATH'] ?? '').split(':').filter((folder) => !folder.includes('node_modules'));

/** Runs the commands of a page. Rejects with the output of one that fails. Resolves with how many ran. */
async function follow({ path, blocks, prose }: Document, machine: CleanMachine, tarball: string): Promise<number> {
  const actualPorts = new Map<string, string>();
  for (const port of ['8000', '8080', '8081']) actualPorts.set(port, await findFreePort());
  const [shop, server, sandbox] = [...actualPorts.values()].map((port) => `http://127.0.0.1:${port}`);
  const replacements = new Map([
    ['install pay-invoice', `install ${tarball}`],
    ['http://localhost:8000/checkout', `${server ?? ''}/checkout`],
    ...[...actualPorts].map(([documented, port]): [string, string] => [`:${documented}`, `:${port}`]),
  ]);
  const variables = new Map([
    ['PATH', [dirname(process.execPath), ...systemFolders].join(':')],
    ['npm_config_prefer_offline', 'true'],
    ['PORT', actualPorts.get('8080')],
    ['SANDBOX_PORT', actualPorts.get('8081')],
    ['SHOP_URL', shop],
    ['CHECKOUT_SERVER', server],
    ['ADMIN_TOKEN', 'token-of-the-admin-api-1234'],
    ['OUTCOME_FEED', '1'],
  ]);
  const running = new Map<Program, readonly string[]>();
  const addresses = new Set(prose.matchAll(openedAddress));

  const start = async (shell: readonly [string, ...string[]], ports: readonly string[]): Promise<void> => {
    for (const [program, itsPorts] of running)
      if (itsPorts.some((port) => ports.includes(port)) && running.delete(program)) await program.kill();
    running.set(machine.start(...shell), ports);
    const answers = (port: string): Promise<boolean> =>
      fetch(`http://127.0.0.1:${actualPorts.get(port) ?? ''}`).then(
        () => true,
        () => false,
      );
    for (const port of ports) await until(`${shell.at(-1) ?? ''} answers at ${port}`, () => answers(port));
  };

  /** Gives the page's checkout an invoice with a status that a person has to decide about. */
  const askForDecision = async (): Promise<void> => {
    const checkoutId = replacements.get('chk_…') ?? '';
    const { invoice } = await new Buyer({ url: server ?? '', sandbox: null }, { checkoutId }).createInvoice();
    const headers = { 'content-type': 'application/json' };
    const url = `${sandbox ?? ''}/sandbox/invoices/${invoice?.id ?? ''}/status`;
    await fetch(url, { method: 'POST', headers, body: '{"status":"ANY"}' });
  };

  const run = async (command: string): Promise<void> => {
    const text = [...replacements].reduce(
      (done, [name, value]) => done.replaceAll(name, value),
      command.replace(/ &$/, ''),
    );
    const names = command.startsWith('export ') ? [...command.matchAll(/\b(\w+)=/g)].map(([, name = '']) => name) : [];
    const print = names.length > 0 ? `\nprintenv ${names.join(' ')}` : '';
    const environment = [...variables].map(([name, value]) => `${name}=${value ?? ''}`);
    const code = text.replace(/^curl /, 'curl -sS --fail-with-body ') + moreArguments(text) + print;
    const shell = ['env', ...environment, 'sh', '-ec', code] as const;
    const [, ...ports] = programs.find(([pattern]) => pattern.test(command)) ?? [];
    if (ports.length > 0) {
      await start(shell, ports);
      for (const address of [...addresses].filter(([, port]) => ports.some((one) => one === port))) {
        const [text, port = '', path = ''] = address;
        assert.equal((await fetch(`http://127.0.0.1:${actualPorts.get(port) ?? ''}${path}`)).status, 200, text);
        addresses.delete(address);
      }
      return;
    }
    if (command.startsWith('npx pay-invoice-server check')) await askForDecision();
    const output = await machine.run(...shell);
    output
      .split('\n')
      .slice(0, names.length)
      .forEach((value, index) => variables.set(names[index] ?? '', value));
    for (const [name, printed] of madeUp) {
      const [, value] = printed.exec(output) ?? [];
      if (value !== undefined) replacements.set(name, value);
    }
  };

  const withPorts = (code: string): string =>
    code.replaceAll(/\b80(?:00|80|81)\b/g, (port) => actualPorts.get(port) ?? port);
  const files = blocks.flatMap(({ file, code }) => (file === undefined ? [] : [[file, withPorts(code)] as const]));
  await machine.write(Object.fromEntries(files));
  const shellBlocks = blocks.filter(({ language }) => language === 'sh');
  const commands = [
    ...(firstCommands[path] ?? []),
    ...shellBlocks.flatMap(({ code }) => code.trim().split(/\n(?! )/)),
    ...[...prose.matchAll(inSentence)].map(([, command = '']) => command),
  ];
  const commandsHere = commands.filter((command) => !elsewhere.some(([pattern]) => pattern.test(command)));
  for (const command of commandsHere) await run(command);
  assert.deepEqual([...addresses], [], 'not opened');
  return commandsHere.length;
}

const pages = [
  ...shippedDocuments.filter(({ path }) => !path.startsWith('docs/ru/')),
  readDocument('examples/README.md'),
];

for (const page of pages.filter(({ text, prose }) => text.includes('```sh') || prose.search(inSentence) !== -1))
  test(`every command of ${page.path} runs`, { timeout: 600_000 }, async (t) => {
    const isInstalledByPage = page.text.includes('\nnpm install pay-invoice');
    const machine = await (isInstalledByPage ? CleanMachine.empty({}) : CleanMachine.withPackage());
    t.after(() => machine.remove());
    await mkdir(join(machine.folder, '.tarball'));
    const { file } = await pack(join(machine.folder, '.tarball'));
    assert.ok((await follow(page, machine, file)) > 0);
  });
