import { cp, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import { createSandbox } from '../../src/tools/sandbox/create-sandbox.ts';
import { documentOf, fileIn, filesOfSection, shellIn } from '../docs/documents.ts';
import { launchChromium } from '../support/launch-chromium.ts';
import { waitForUpdate } from '../support/wait-for-update.ts';
import { CleanMachine, pack, type Program } from './clean-machine.ts';

// Each folder of test/framework-starters is a project as a framework's starter creates it. The files that a merchant adds are
// copied from docs/frameworks.md without a change.
const guide = documentOf('docs/frameworks.md');

type Files = Readonly<Record<string, string>>;

/** The files that Next and Nuxt share, in a folder of the project. */
const serverFiles = (folder: string): Files =>
  Object.fromEntries(['orders.ts', 'checkouts.ts'].map((name) => [`${folder}/${name}`, fileIn(guide, name)]));

const filesOfGuide: Readonly<Record<string, () => Files>> = {
  react: () => filesOfSection(guide, 'React 19'),
  vue: () => filesOfSection(guide, 'Vue 3'),
  svelte: () => filesOfSection(guide, 'Svelte 5'),
  angular: () => filesOfSection(guide, 'Angular 20'),
  next: () => ({ ...filesOfSection(guide, 'Next 16'), ...serverFiles('lib') }),
  nuxt: () => ({ ...filesOfSection(guide, 'Nuxt 4'), ...serverFiles('server/utils') }),
};

/** A text that the type check accepts, a wrong text in its place, and what the type check reports then. */
export type Mistake = readonly [correctText: string, wrongText: string, report: RegExp];

/** Projects in one npm workspace that have the package from its tarball. */
export class ExampleWorkspace {
  readonly machine: CleanMachine;
  /** The output of each project's build. */
  readonly builds: ReadonlyMap<string, string>;

  private constructor(machine: CleanMachine, builds: ReadonlyMap<string, string>) {
    this.machine = machine;
    this.builds = builds;
  }

  /** Installs the projects with those names, and builds them, two at a time. */
  static async build(names: readonly string[]): Promise<ExampleWorkspace> {
    // The newest rollup is published without most of its platforms' packages.
    const root = { private: true, workspaces: names, overrides: { rollup: '4.67.4' } };
    const machine = await CleanMachine.empty({ 'package.json': JSON.stringify(root) });
    for (const name of names) {
      await cp(`test/framework-starters/${name}`, join(machine.folder, name), { recursive: true });
      for (const [path, text] of Object.entries(filesOfGuide[name]?.() ?? {}))
        await machine.write({ [join(name, path)]: text });
    }
    const { file } = await pack(machine.folder);
    await rename(file, join(machine.folder, 'pay-invoice.tgz'));
    await machine.npm('install', '--ignore-scripts');
    if (names.includes('next')) {
      const [, types = ''] = / --save-dev (\S+)/.exec(shellIn(guide, 'npm install pay-invoice')) ?? [];
      await machine.npm('install', '--ignore-scripts', '--workspace', 'next', '--save-dev', types);
    }
    const builds = new Map<string, string>();
    const queue = [...names];
    const worker = async (): Promise<void> => {
      for (let name = queue.shift(); name !== undefined; name = queue.shift())
        builds.set(name, await machine.run('sh', '-c', `npm run build --workspace ${name} 2>&1`));
    };
    await Promise.all([worker(), worker()]);
    return new ExampleWorkspace(machine, builds);
  }

  folderOf(name: string): string {
    return join(this.machine.folder, name);
  }

  /** Returns the errors that the type check reports while a file has these mistakes. */
  async findTypeErrors(name: string, file: string, mistakes: readonly Mistake[]): Promise<readonly string[]> {
    const path = join(name, file);
    const text = await readFile(join(this.machine.folder, path), 'utf8');
    for (const [correctText] of mistakes)
      if (!text.includes(correctText)) throw new Error(`${path} has no ${correctText}`);
    await this.machine.write({
      [path]: mistakes.reduce(
        (mistakenText, [correctText, wrongText]) => mistakenText.replace(correctText, wrongText),
        text,
      ),
    });
    const checkCommand = `npm run check --workspace ${name} 2>&1 || true`;
    const report = stripVTControlCharacters(await this.machine.run('sh', '-c', checkCommand));
    await this.machine.write({ [path]: text });
    return report.split(/^(?=.*\berror TS\d+|Error: )/m).slice(1);
  }
}

/** Opens an empty page. `browserErrors` has the errors and warnings of its console. */
export async function openPage(browser: Browser): Promise<{ page: Page; browserErrors: readonly string[] }> {
  const page = await browser.newPage({ locale: 'en-GB' });
  page.setDefaultTimeout(120_000); // A development server compiles a page at its first request.
  const browserErrors: string[] = [];
  page.on('pageerror', (error) => browserErrors.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) browserErrors.push(message.text());
  });
  return { page, browserErrors };
}

/** Starts a browser, and a sandbox whose address is `sandbox`. */
export async function startBrowserAndSandbox() {
  const service = createSandbox({ token: 'sandbox-token' });
  const { url: sandbox } = await service.listen({ port: 0, host: '127.0.0.1' });
  const browser = await launchChromium();
  return { sandbox, browser, close: () => Promise.all([browser.close(), service.close()]) };
}

const invoices = z.object({ invoices: z.array(z.object({ id: z.string() })) });

/**
 * Chooses SBP, pays in the sandbox, and waits until the widget and the page around it report the payment. Clicks only once the
 * element has rendered: a click on a server's markup requests no invoice.
 */
export async function payInPage(page: Page, sandbox: string, continueLabel: string): Promise<void> {
  const widget = page.locator('pay-invoice');
  await waitForUpdate(page);
  await widget.getByRole('radio', { name: /SBP|СБП/ }).check();
  await widget.getByRole('button', { name: continueLabel, exact: true }).click();
  await widget.locator('canvas[part=qr]').waitFor();
  await payNewestInvoice(sandbox);
  await widget.getByRole('heading', { name: 'Payment received', exact: true }).waitFor();
  const { checkout } = z
    .object({ checkout: z.object({ reference: z.string() }) })
    .parse(await widget.evaluate((element) => Reflect.get(element, 'state') as unknown));
  await page.getByText(`Paid ${checkout.reference}`, { exact: true }).waitFor();
}

/** Pays the sandbox's newest invoice as a bank does. */
export async function payNewestInvoice(sandbox: string): Promise<void> {
  const response: unknown = await (await fetch(`${sandbox}/sandbox/invoices`)).json();
  const [newestInvoice] = invoices.parse(response).invoices;
  await fetch(`${sandbox}/sandbox/invoices/${newestInvoice?.id ?? ''}/pay`, { method: 'POST' });
}

/** Pays at the page of the sandbox's bank, whose address the widget's QR has. */
export async function payAtBank(browser: Browser, address: string | null): Promise<void> {
  const bank = await browser.newPage({ locale: 'en-GB' });
  await bank.goto(address ?? '');
  await bank.getByRole('button', { name: 'Pay' }).click();
  await bank.close();
}

/** The kinds of an order's outcomes that a shop of the documents has written into its log for a person. */
export const findKindsForPerson = ({ output }: Program, orderId: string): readonly string[] =>
  [...output.matchAll(/order (\S+) needs a person: (\w+)/gi)].flatMap(([, id, kind]) =>
    id === orderId ? [kind ?? ''] : [],
  );
