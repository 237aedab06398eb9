// The Nu HTML checker (https://validator.github.io/validator/) on every page that is served. `npm ci` in this folder brings it.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { z } from 'zod';
import { launchChromium } from '../support/launch-chromium.ts';
import { openForFile } from '../support/open-for-file.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { rows } from './pages-html.ts';

const checker = 'test/served-pages/node_modules/vnu-jar/build/dist/vnu.jar';
// With CI=true the test runs, and fails, where Java is missing.
const isMissing = process.env['CI'] !== 'true' && spawnSync('java', ['-version']).error !== undefined;
const browser = await openForFile(launchChromium());
const folder = temporaryFolder();

const report = z.object({
  messages: z.array(
    z.object({
      url: z.string(),
      type: z.string(),
      subType: z.string().optional(),
      message: z.string(),
      extract: z.string().default(''),
    }),
  ),
});
type Message = z.output<typeof report>['messages'][number];

/** The checker does not count the headings whose level is in `aria-level`. */
const miscount = 'none of them has a computed heading level of 1';

/** An error or a warning. What is neither is about style, such as the slash that Prettier writes at the end of `<meta />`. */
const isFault = ({ type, subType, message }: Message): boolean =>
  (type !== 'info' || subType === 'warning') && !message.includes(miscount);

/**
 * The checker knows neither the attribute of CSS Shadow Parts, nor a calculation in a relative colour, nor container queries, for which
 * it gets queries of the window.
 */
const asCheckerKnows = (html: string): string =>
  html
    .replaceAll(/ part="[^"]*"/g, '')
    .replaceAll(/oklch\(from color\(from var\([-\w]+\)xyz y y y\)calc\([^()]+\)0 0\/1\)/g, 'black')
    .replaceAll(/container-type: ?[a-z-]+;?/g, '')
    .replaceAll('@container', '@media')
    .replaceAll(/(?<=\d)cqi\b/g, 'vw');

/** Resolves with the faults that the checker finds in files. It exits with 1 where it finds errors. */
function check(files: readonly string[]): Promise<readonly Message[]> {
  return new Promise((resolve, reject) => {
    execFile('java', ['-jar', checker, '--format', 'json', ...files], { maxBuffer: 1e8 }, (_error, _stdout, stderr) => {
      try {
        resolve(report.parse(JSON.parse(stderr)).messages.filter(isFault));
      } catch (cause) {
        reject(new Error(stderr, { cause }));
      }
    });
  });
}

describe(
  'the Nu HTML checker has nothing to say of',
  { skip: isMissing ? 'NOT INSTALLED: java' : false, timeout: 600_000 },
  () => {
    const fileOf = (index: number): string => join(folder, `page-${index}.html`);
    let messages: readonly Message[];
    before(async () => {
      for (const [index, { read }] of rows.entries())
        await writeFile(fileOf(index), asCheckerKnows(await read(browser)));
      messages = await check(rows.map((_, index) => fileOf(index)));
    });

    for (const [index, { name }] of rows.entries())
      it(name, () => {
        const own = messages.filter(({ url }) => url.endsWith(`/page-${index}.html`));
        assert.deepEqual(
          own.map(({ type, message, extract }) => `${type}: ${message}\n  ${extract.replace(/\s+/g, ' ')}`),
          [],
        );
      });

    it('but has something to say of a page with a fault', async () => {
      const file = join(folder, 'fault.html');
      await writeFile(
        file,
        '<!doctype html><html lang="en"><title>Fault</title><label for="x"><output></output></label>',
      );
      assert.match((await check([file])).map(({ message }) => message).join(), /output/);
    });
  },
);
