import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { countReporter } from '../../scripts/figures/count-in-browsers.js';

test('component tests are counted in every suite of every browser; the runner says of few whether they were skipped', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'counts-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'counts.jsonl');
  const inner = { tests: [{ skipped: true }], suites: [] };
  countReporter(file).onTestRunFinished({
    sessions: [
      { browser: { name: 'One' }, testResults: { tests: [{}, { skipped: false }], suites: [inner] } },
      { browser: { name: 'Two' }, testResults: undefined },
    ],
  });
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line) as unknown),
    [
      { where: 'test/view in One', isSkipped: false },
      { where: 'test/view in One', isSkipped: false },
      { where: 'test/view in One', isSkipped: true },
    ],
  );
});
