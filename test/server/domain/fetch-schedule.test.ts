import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextFetchAt } from '../../../src/server/domain/fetch-schedule.ts';
import { defaultTiming } from '../../../src/server/timing-and-limit-defaults.ts';

test('an ended invoice is fetched as slowly as an unviewed one while the clock, set back, shows a time before its end', () => {
  const invoice = { outcome: 'expired', createdAt: 3_600_000, expiresAt: null } as const;
  assert.equal(nextFetchAt(invoice, 1000, true, defaultTiming), 1000 + defaultTiming.slowMs);
  assert.equal(nextFetchAt(invoice, 3_600_000, true, defaultTiming), 3_600_000 + defaultTiming.fastMs);
});
