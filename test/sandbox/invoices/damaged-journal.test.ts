import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createSandbox } from '../../../src/sandbox.ts';
import { importWithDefect, type SourceDefect } from '../../support/import-with-defect.ts';
import { TestSandbox } from '../test-sandbox.ts';

// A file that cannot be read completely stops the start with a message of one line, and is not changed.

interface JournalFile {
  readonly file: string;
  readonly ids: readonly string[];
  /** The lines of the file, without line ends. */
  readonly lines: readonly string[];
}

function newPath(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'journal-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'sandbox.jsonl');
}

/** A file with a heading and three invoices. */
async function newJournal(t: TestContext): Promise<JournalFile> {
  const file = newPath(t);
  const caller = new TestSandbox({ dataFile: file });
  const ids = [await caller.createId(), await caller.createId(), await caller.createId()];
  await caller.sandbox.close();
  return { file, ids, lines: readFileSync(file, 'utf8').trimEnd().split('\n') };
}

/** @throws AssertionError when the file is opened, or refused otherwise */
function openingError(file: string, create = createSandbox): Error {
  try {
    create({ token: 'test-token', dataFile: file });
  } catch (error) {
    assert.ok(error instanceof Error && error.name === 'JournalError', String(error));
    assert.doesNotMatch(error.message, /\n/);
    assert.ok(error.message.includes(file), error.message);
    return error;
  }
  return assert.fail('it was opened');
}

const damagedLines = [
  { what: 'binary garbage', thirdLine: Buffer.from([0x00, 0x9c, 0xff, 0xfe, 0x80]), reason: 'it is not UTF-8' },
  {
    what: 'text that is not UTF-8',
    thirdLine: Buffer.from('[{"booked":"\xe9","amount":"1"}]', 'latin1'),
    reason: 'it is not UTF-8',
  },
  { what: 'half of a line', thirdLine: Buffer.from('[{"invoice":{"id":"inv_'), reason: 'it is not JSON' },
  { what: 'an empty line', thirdLine: Buffer.from(''), reason: 'it is not JSON' },
  {
    what: 'an object',
    thirdLine: Buffer.from('{"booked":"a","amount":"1"}'),
    reason: 'it does not describe changes of invoices',
  },
  {
    what: 'an unknown change',
    thirdLine: Buffer.from('[{"refunded":"a"}]'),
    reason: 'it does not describe changes of invoices',
  },
  {
    what: 'an invoice without members',
    thirdLine: Buffer.from('[{"invoice":{"id":"a"}}]'),
    reason: 'it does not describe changes of invoices',
  },
] as const;

/** @throws AssertionError */
async function checkRefusal(
  t: TestContext,
  { thirdLine, reason }: (typeof damagedLines)[number],
  create = createSandbox,
): Promise<void> {
  const { file, lines } = await newJournal(t);
  const end = Buffer.from('\n');
  const bytes = Buffer.concat(
    lines.flatMap((line, index) => (index === 2 ? [thirdLine, end] : [Buffer.from(line), end])),
  );
  writeFileSync(file, bytes);
  const { message } = openingError(file, create);
  assert.ok(message.startsWith(`${file}, line 3 is damaged: ${reason}: restore the file from a copy`), message);
  assert.deepEqual(readFileSync(file), bytes);
}

for (const damaged of damagedLines)
  test(`a journal whose third line is ${damaged.what} is refused with a message that has the line number, and is not changed`, async (t) =>
    checkRefusal(t, damaged));

test('a damaged journal that is also cut short is refused, and nothing is dropped', async (t) => {
  const { file, lines } = await newJournal(t);
  const text = [lines[0], 'damaged', lines[2], lines[3]?.slice(0, 9)].join('\n');
  writeFileSync(file, text);
  assert.match(openingError(file).message, /line 2 is damaged/);
  assert.equal(readFileSync(file, 'utf8'), text);
});

test('a folder in the place of the journal is refused in one line', (t) => {
  const file = newPath(t);
  mkdirSync(file);
  assert.match(openingError(file).message, /cannot be opened: EISDIR.*: name a file that this user can write/);
});

test('a device in the place of the journal is refused in one line, and is not read', () => {
  assert.match(openingError('/dev/full').message, /is not a regular file: name another file/);
});

test('a journal in a folder that cannot be made is refused in one line', (t) => {
  const file = newPath(t);
  writeFileSync(file, '');
  assert.match(openingError(join(file, 'sandbox.jsonl')).message, /cannot be opened: (?:ENOTDIR|EEXIST)/);
});

test('an empty file becomes a new journal', async (t) => {
  const file = newPath(t);
  writeFileSync(file, '');
  const caller = new TestSandbox({ dataFile: file });
  const id = await caller.createId();
  await caller.sandbox.close();
  assert.deepEqual(caller.log, []);
  assert.equal((await new TestSandbox({ dataFile: file }).fetchOne(id))['id'], id);
});

test('a last line that was cut short is dropped with one warning, and the invoices before it are kept', async (t) => {
  const { file, ids, lines } = await newJournal(t);
  truncateSync(file, statSync(file).size - 5);
  const caller = new TestSandbox({ dataFile: file });
  const rest = Buffer.byteLength(`${lines[3] ?? ''}\n`) - 5;
  assert.deepEqual(caller.log, [
    `${file}: the last line was cut short and is dropped (${rest} bytes); the rest is kept`,
  ]);
  const { json } = await caller.call('FetchInvoices', { ids: [...ids] });
  assert.deepEqual(JSON.stringify(json).match(/inv_\w+(?=","merchant)/g), ids.slice(0, 2));
  const next = await caller.createId();
  await caller.sandbox.close();
  const again = new TestSandbox({ dataFile: file });
  assert.deepEqual(again.log, []);
  assert.equal((await again.fetchOne(next))['id'], next);
});

test('a heading that was cut short at any byte is written again', async (t) => {
  const { file, lines } = await newJournal(t);
  const heading = `${lines[0] ?? ''}\n`;
  for (let size = 1; size < heading.length; size += 1) {
    writeFileSync(file, heading.slice(0, size));
    const caller = new TestSandbox({ dataFile: file });
    assert.equal(caller.log.length, 1);
    await caller.sandbox.close();
    assert.equal(readFileSync(file, 'utf8'), heading, `cut to ${size} bytes`);
  }
});

const file = 'src/sandbox/invoices/invoice-journal.ts';
const defects: readonly (SourceDefect & { readonly name: string; readonly brokenRule: string })[] = [
  {
    name: 'a damaged line is skipped',
    brokenRule: 'half of a line',
    file,
    find: 'readLine(bytes.subarray(start, end), onLine);',
    replace: 'try { readLine(bytes.subarray(start, end), onLine); } catch {}',
  },
  {
    name: 'bytes that are not UTF-8 are replaced',
    brokenRule: 'text that is not UTF-8',
    file,
    find: '{ fatal: true }',
    replace: '{ fatal: false }',
  },
  {
    name: 'the line is not named',
    brokenRule: 'an empty line',
    file,
    find: '${file}, line ${line} is damaged',
    replace: '${file} is damaged',
  },
];
for (const { name, brokenRule, ...defect } of defects)
  test(`a defect is found: ${name}`, async (t) => {
    interface Module {
      readonly createSandbox: typeof createSandbox;
    }
    const damaged = damagedLines.find(({ what }) => what === brokenRule) ?? assert.fail();
    const sound = await importWithDefect<Module>(t, 'src/sandbox.ts', { ...defect, replace: defect.find });
    await checkRefusal(t, damaged, sound.createSandbox);
    const { createSandbox: create } = await importWithDefect<Module>(t, 'src/sandbox.ts', defect);
    await assert.rejects(checkRefusal(t, damaged, create), assert.AssertionError);
  });
