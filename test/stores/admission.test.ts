import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAdmission, createTurnQueue } from '../../src/stores/admission.ts';
import { StoreUnavailableError } from '../../src/server.ts';
import { FakeClock } from '../support/fake-clock.ts';

const overloaded = { name: 'StoreUnavailableError', reason: 'overloaded' };
const begun = { maxWaitMs: 3000 };
const order = { maxWaitMs: 500, rank: 2 } as const;
const invoice = { maxWaitMs: 900, rank: 1 } as const;

test('a turn goes to a caller that finishes what has begun first, and then by rank and arrival', async () => {
  const clock = new FakeClock();
  const turns = createTurnQueue(1, clock);
  const endFirst = await turns.take(begun);
  const served: object[] = [];
  const waiting = [order, invoice, begun, order].map(async (limits) => {
    const end = await turns.take(limits);
    served.push(limits);
    end();
  });
  endFirst();
  await Promise.all(waiting);
  assert.deepEqual(served, [begun, invoice, order, order]);
});

/** A queue whose one turn has taken `turnMs` each time, and is taken while two callers wait. Its clock stands. */
async function createSlowQueue(turnMs = 400) {
  const clock = new FakeClock();
  const turns = createTurnQueue(1, clock);
  for (let turn = 0; turn < 100; turn += 1) {
    const end = await turns.take(begun);
    await clock.advance(turnMs);
    end();
  }
  const endLast = await turns.take(begun);
  const waiting = [turns.take(begun), turns.take(begun)];
  return { turns, waiting, endLast };
}

test('a caller that begins something new is refused at once when it would wait longer than half a second', async () => {
  const { turns, waiting, endLast } = await createSlowQueue(4000);
  await assert.rejects(turns.take(order), (error: unknown) => {
    assert.ok(error instanceof StoreUnavailableError && error.reason === 'overloaded');
    assert.equal(Math.round(error.retryAfterMs / 100), 80, 'two callers of four seconds each are before it');
    return true;
  });
  endLast();
  for (const turn of waiting) (await turn)();
});

test('while new callers are refused, one that may wait longer is not', async () => {
  const { turns, waiting, endLast } = await createSlowQueue();
  await assert.rejects(turns.take(order), overloaded);
  waiting.push(turns.take(invoice));
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

/** An event loop whose turns a test ends, after the time that they take, in milliseconds. */
function createEventLoop() {
  let now = 0;
  const timers: (() => void)[] = [];
  const clock = {
    now: () => now,
    schedule(_: number, task: () => void) {
      timers.push(task);
      return () => undefined;
    },
  };
  const turn = (ms: number): void => {
    now += ms;
    for (const task of timers.splice(0)) task();
  };
  return { clock, turn };
}

/** An admission on such a loop. */
function admitOn({ clock }: ReturnType<typeof createEventLoop>) {
  const admit = createAdmission(12, clock);
  return (kind: 'order' | 'invoice' | 'look'): Promise<string> => admit(kind, () => Promise.resolve('taken'));
}

test('many new orders are refused, and nothing else is, while no turn of the event loop was quick for a second', async () => {
  const loop = createEventLoop();
  const take = admitOn(loop);
  for (let count = 0; count < 10; count += 1) {
    assert.deepEqual(await Promise.all([take('order'), take('order')]), ['taken', 'taken']);
    loop.turn(110);
  }
  await assert.rejects(take('order'), overloaded);
  assert.deepEqual(await Promise.all([take('invoice'), take('look')]), ['taken', 'taken']);
  loop.turn(100);
  assert.equal(await take('order'), 'taken');
});

test('an order is taken within one long turn of the event loop and after it, as at the start', async () => {
  const loop = createEventLoop();
  const take = admitOn(loop);
  for (const ms of [0, 9000]) {
    loop.turn(ms);
    for (let count = 0; count < 200; count += 1) assert.equal(await take('order'), 'taken');
  }
});

test('few orders are taken also while the event loop is slow: other programs keep the processor then', async () => {
  const loop = createEventLoop();
  const take = admitOn(loop);
  for (let count = 0; count < 50; count += 1) {
    assert.equal(await take('order'), 'taken');
    loop.turn(150);
  }
});
