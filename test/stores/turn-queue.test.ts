import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTurnQueue } from '../../src/stores/database-queue.ts';
import { FakeClock } from '../support/fake-clock.ts';

const overloaded = { name: 'StoreUnavailableError', reason: 'overloaded' };
const begun = { maxWaitMs: 3000 };
const isNew = { maxWaitMs: 500, isNew: true };

test('a turn goes to a caller that finishes what has begun before one that begins something new', async () => {
  const clock = new FakeClock();
  const turns = createTurnQueue(1, clock);
  const endFirst = await turns.take(begun);
  const order: string[] = [];
  const waiting = [[isNew, 'new'] as const, [begun, 'begun'] as const].map(async ([limits, name]) => {
    const end = await turns.take(limits);
    order.push(name);
    end();
  });
  endFirst();
  await Promise.all(waiting);
  assert.deepEqual(order, ['begun', 'new']);
});

/** A queue whose one turn has taken 400 ms each time, and is taken while two callers wait. Its clock stands. */
async function createSlowQueue() {
  const clock = new FakeClock();
  const turns = createTurnQueue(1, clock);
  for (let turn = 0; turn < 100; turn += 1) {
    const end = await turns.take(begun);
    await clock.advance(400);
    end();
  }
  const endLast = await turns.take(begun);
  const waiting = [turns.take(begun), turns.take(begun)];
  return { turns, waiting, endLast };
}

test('a caller that begins something new is refused at once when it would wait longer than half a second', async () => {
  const { turns, waiting, endLast } = await createSlowQueue();
  await assert.rejects(turns.take(isNew), overloaded);
  endLast();
  for (const turn of waiting) (await turn)();
});

test('while new callers are refused, one that may wait longer is not', async () => {
  const { turns, waiting, endLast } = await createSlowQueue();
  await assert.rejects(turns.take(isNew), overloaded);
  waiting.push(turns.take({ maxWaitMs: 900, isNew: true }));
  endLast();
  for (const turn of waiting) (await turn)();
});

test('a caller is refused when no turn has ended in its time, and takes no turn later', async () => {
  const clock = new FakeClock();
  const turns = createTurnQueue(1, clock);
  const end = await turns.take(begun);
  const refused = assert.rejects(turns.take(begun), overloaded);
  await clock.advance(3001);
  await refused;
  end();
  (await turns.take(begun))();
});
