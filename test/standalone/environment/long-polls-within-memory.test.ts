import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { execPath } from 'node:process';
import { test } from 'node:test';
import { longPollsWithin } from '../../../src/standalone/environment/checkout-environment.ts';

const mebibyte = 1024 * 1024;

for (const [heap, expected] of [
  [64, 2396],
  [128, 4793],
  [256, 9586],
  [534, 19_997],
  [540, undefined],
  [4096, undefined],
] as const)
  test(`a heap of ${heap} MiB holds ${expected ?? 'as many as the default'} long polls in its half`, () => {
    assert.equal(longPollsWithin(heap * mebibyte), expected);
  });

test('a process with a small heap holds fewer long polls', () => {
  const code = 'console.log(require("node:v8").getHeapStatistics().heap_size_limit)';
  const heap = Number(execFileSync(execPath, ['--max-old-space-size=128', '-e', code], { encoding: 'utf8' }));
  assert.ok((longPollsWithin(heap) ?? Infinity) < 10_000, `${heap} bytes`);
});
