import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextFetchAt } from '../../../src/server/domain/fetch-decisions.ts';
import { defaultTiming } from '../../../src/server/timing-and-limit-defaults.ts';

test('an ended invoice is fetched as slowly as an unviewed one while the clock, set back, shows a time before its end', () => {
  const invoice = { outcome: 'expired', createdAt: 3_600_000, expiresAt: null } as const;
  assert.equal(nextFetchAt(invoice, 1000, true, defaultTiming), 1000 + defaultTiming.slowMs);
  assert.equal(nextFetchAt(invoice, 3_600_000, true, defaultTiming), 3_600_000 + defaultTiming.fastMs);
});

test('the last fetch of an ended invoice is repeated while its answers do not tell the status, for seven days', () => {
  const { lateMs, endlessMs } = defaultTiming;
  const invoice = { outcome: 'expired', createdAt: 0, expiresAt: 1000 } as const;
  const after = (elapsedMs: number, isStatusTold: boolean): number | null =>
    nextFetchAt(invoice, 1000 + elapsedMs, false, defaultTiming, isStatusTold);
  assert.equal(after(lateMs, true), null);
  assert.equal(after(lateMs, false), 1000 + lateMs * 1.05);
  assert.equal(after(endlessMs, false), null);
});
