import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';

/** Creates an empty folder. It is removed after the test, or without a context after the last test of the file. */
export function temporaryFolder(context: Pick<TestContext, 'after'> = { after }): string {
  const folder = mkdtempSync(join(tmpdir(), 'pay-invoice-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
