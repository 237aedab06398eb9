import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

/** Creates an empty folder. It is removed after the test, or without a context after the last test of the file. */
export function temporaryFolder(context: { after(remove: () => void): void } = { after }): string {
  const folder = mkdtempSync(join(tmpdir(), 'pay-invoice-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
