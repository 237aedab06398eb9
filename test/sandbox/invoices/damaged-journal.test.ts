import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { createSandbox } from '../../../src/sandbox.ts';
import { TestSandbox } from '../test-sandbox.ts';

// A journal that cannot be read completely prevents the start with a message of one line, and is not changed.

interface JournalFile {
  readonly file: string;
  readonly ids: readonly string[];
  /** The lines of the file, without line ends. */
  readonly lines: readonly string[];
}

function createTemporaryPath(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'journal-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'sandbox.jsonl');
}

/** Creates a journal with a header line and three invoices. */
async function createJournal(t: TestContext): Promise<JournalFile> {
  const file = createTemporaryPath(t);
  const caller = new TestSandbox({ dataFile: file });
  const ids = [await caller.createId(), await caller.createId(), await caller.createId()];
  await caller.sandbox.close();
  return { file, ids, lines: readFileSync(file, 'utf8').trimEnd().split('\n') };
}

/** Returns the JournalError of opening the file. @throws AssertionError when the file is opened or another error is thrown */
function getOpeningError(file: string): Error {
  try {
    createSandbox({ token: 'test-token', dataFile: file });
  } catch (error) {
    assert.ok(error instanceof Error && error.name === 'JournalError', String(error));
    assert.doesNotMatch(error.message, /\n/);
    assert.ok(error.message.includes(file), error.message);
    return error;
  }
  return assert.fail('the file was opened');
}

const damagedLines = [
  { content: 'binary garbage', thirdLine: Buffer.from([0x00, 0x9c, 0xff, 0xfe, 0x80]), reason: 'it is not UTF-8' },
  {
    content: 'text that is not UTF-8',
    thirdLine: Buffer.from('[{"booked":"\xe9","amount":"1"}]', 'latin1'),
    reason: 'it is not UTF-8',
  },
  { content: 'half of a line', thirdLine: Buffer.from('[{"invoice":{"id":"inv_'), reason: 'it is not JSON' },
  { content: 'an empty line', thirdLine: Buffer.from(''), reason: 'it is not JSON' },
  {
    content: 'an object',
    thirdLine: Buffer.from('{"booked":"a","amount":"1"}'),
    reason: 'it does not describe changes of invoices',
  },
  {
    content: 'an unknown change',
    thirdLine: Buffer.from('[{"refunded":"a"}]'),
    reason: 'it does not describe changes of invoices',
  },
  {
    content: 'an invoice without members',
    thirdLine: Buffer.from('[{"invoice":{"id":"a"}}]'),
    reason: 'it does not describe changes of invoices',
  },
] as const;

/** Asserts that a journal with this third line is refused and not changed. */
async function expectRefusal(t: TestContext, { thirdLine, reason }: (typeof damagedLines)[number]): Promise<void> {
  const { file, lines } = await createJournal(t);
  const end = Buffer.from('\n');
  const bytes = Buffer.concat(
    lines.flatMap((line, index) => (index === 2 ? [thirdLine, end] : [Buffer.from(line), end])),
  );
  writeFileSync(file, bytes);
  const { message } = getOpeningError(file);
  assert.ok(message.startsWith(`${file}, line 3 is damaged: ${reason}: restore the file from a copy`), message);
  assert.deepEqual(readFileSync(file), bytes);
}

for (const damagedLine of damagedLines)
  test(`a journal whose third line is ${damagedLine.content} is refused with a message that names line 3, and is not changed`, async (t) =>
    expectRefusal(t, damagedLine));

test('a journal with a damaged line and an incomplete last line is refused, and is not changed', async (t) => {
  const { file, lines } = await createJournal(t);
  const text = [lines[0], 'damaged', lines[2], lines[3]?.slice(0, 9)].join('\n');
  writeFileSync(file, text);
  assert.match(getOpeningError(file).message, /line 2 is damaged/);
  assert.equal(readFileSync(file, 'utf8'), text);
});

test('a path of a folder as the journal is refused with a message of one line', (t) => {
  const file = createTemporaryPath(t);
  mkdirSync(file);
  assert.match(getOpeningError(file).message, /cannot be opened: EISDIR.*: name a file that this user can write/);
});

test('a path of a device as the journal is refused with a message of one line', () => {
  assert.match(getOpeningError('/dev/full').message, /is not a regular file: name another file/);
});

test('a journal in a folder that cannot be created is refused with a message of one line', (t) => {
  const file = createTemporaryPath(t);
  writeFileSync(file, '');
  assert.match(getOpeningError(join(file, 'sandbox.jsonl')).message, /cannot be opened: (?:ENOTDIR|EEXIST)/);
});

test('an empty file is opened as a new journal', async (t) => {
  const file = createTemporaryPath(t);
  writeFileSync(file, '');
  const caller = new TestSandbox({ dataFile: file });
  const id = await caller.createId();
  await caller.sandbox.close();
  assert.deepEqual(caller.log, []);
  assert.equal((await new TestSandbox({ dataFile: file }).fetchOne(id))['id'], id);
});

test('an incomplete last line of a journal is dropped with one warning, and the invoices before it are kept', async (t) => {
  const { file, ids, lines } = await createJournal(t);
  truncateSync(file, statSync(file).size - 5);
  const caller = new TestSandbox({ dataFile: file });
  const incompleteBytes = Buffer.byteLength(`${lines[3] ?? ''}\n`) - 5;
  assert.deepEqual(caller.log, [
    `${file}: the last line was cut short and is dropped (${incompleteBytes} bytes); the rest is kept`,
  ]);
  const { json } = await caller.call('FetchInvoices', { ids: [...ids] });
  assert.deepEqual(JSON.stringify(json).match(/inv_\w+(?=","merchant)/g), ids.slice(0, 2));
  const nextId = await caller.createId();
  await caller.sandbox.close();
  const restartedCaller = new TestSandbox({ dataFile: file });
  assert.deepEqual(restartedCaller.log, []);
  assert.equal((await restartedCaller.fetchOne(nextId))['id'], nextId);
});

test('an incomplete header line of a journal is completed, whatever its length', async (t) => {
  const { file, lines } = await createJournal(t);
  const headerLine = `${lines[0] ?? ''}\n`;
  for (let size = 1; size < headerLine.length; size += 1) {
    writeFileSync(file, headerLine.slice(0, size));
    const caller = new TestSandbox({ dataFile: file });
    assert.equal(caller.log.length, 1);
    await caller.sandbox.close();
    assert.equal(readFileSync(file, 'utf8'), headerLine, `cut to ${size} bytes`);
  }
});
