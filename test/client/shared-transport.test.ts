import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sharedTransport } from '../../src/client/shared-transport.ts';
import type { ReadAnswer, ReadRequest } from '../../src/core.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';
import { Deferred, FakeTransport } from '../support/fake-transport.ts';

type Turn = () => Promise<void>;

/** Locks of one origin: a queue for each name. */
class FakeLocks {
  readonly #held = new Map<string, Turn[]>();

  /** How many hold a lock or wait for one. */
  get size(): number {
    return [...this.#held.values()].reduce((sum, queue) => sum + queue.length + 1, 0);
  }

  async request(name: string, { signal }: { signal: AbortSignal }, turn: Turn): Promise<void> {
    const queue = this.#held.get(name);
    if (queue !== undefined)
      await new Promise<void>((resolve, reject) => {
        const mine: Turn = () => {
          resolve();
          return Promise.resolve();
        };
        queue.push(mine);
        signal.addEventListener('abort', () => {
          if (!queue.includes(mine)) return;
          queue.splice(queue.indexOf(mine), 1);
          reject(new DOMException('aborted', 'AbortError'));
        });
      });
    else this.#held.set(name, []);
    await turn();
    const next = this.#held.get(name)?.shift();
    if (next === undefined) this.#held.delete(name);
    else void next();
  }
}

const held: ReadRequest = { etag: '"1"', waitSeconds: 25 };
const unchanged: ReadAnswer = { kind: 'unchanged' };

/** Tabs of one origin that show the same checkout; `answers` are what their reads wait for, in order. */
function tabs(locks: FakeLocks | null = new FakeLocks()) {
  const clock = new FakeClock();
  const answers: Deferred<ReadAnswer>[] = [];
  const hiders = new Set<() => void>();
  const transport = new FakeTransport(clock, () => {
    const answer = new Deferred<ReadAnswer>();
    answers.push(answer);
    return answer.promise;
  });
  const open = () => {
    const tab = sharedTransport(transport, 'chk', {
      clock,
      locks: (locks ?? undefined) as LockManager | undefined,
      onHide(callback) {
        hiders.add(callback);
        return () => void hiders.delete(callback);
      },
    });
    return (request: ReadRequest = held, signal = new AbortController().signal) => tab.read(request, signal);
  };
  return { clock, locks, transport, answers, hiders, open };
}

/** Nothing is left of any read. */
function assertClean({ clock, locks, transport, hiders }: ReturnType<typeof tabs>): void {
  assert.deepEqual([clock.pending, locks?.size ?? 0, transport.reading, hiders.size], [0, 0, 0, 0]);
}

describe('a transport shared between tabs', () => {
  it('has one answer held back at a time, and lets the next ask when it came', async () => {
    const world = tabs();
    const [first, second] = [world.open()(), world.open()()];
    await settle();
    assert.equal(world.transport.reads.length, 1);
    world.answers[0]?.resolve(unchanged);
    assert.equal(await first, unchanged);
    await settle();
    assert.equal(world.transport.reads.length, 2);
    world.answers[1]?.resolve(unchanged);
    assert.equal(await second, unchanged);
    assert.equal(world.transport.mostReading, 1);
    await settle();
    assertClean(world);
  });

  for (const [what, request] of Object.entries<ReadRequest>({
    'not held back': { etag: '"1"' },
    'the first': {},
    'for an amount': { ...held, amount: '5.00' },
    'for the options': { ...held, options: true },
    'by one who knows something else': { ...held, etag: '"2"' },
  }))
    it(`asks at once: a read that is ${what}`, async () => {
      const world = tabs();
      void world.open()();
      await settle();
      void world.open()(request);
      await settle();
      assert.deepEqual(
        world.transport.reads.map((call) => call.request),
        [held, request],
      );
    });

  it('lets the next ask at once when the one whose turn it is goes, fails or is hidden', async () => {
    const world = tabs();
    const going = new AbortController();
    const reads = [world.open()(held, going.signal), world.open()(), world.open()(), world.open()()];
    const outcomes = Promise.allSettled(reads);
    await settle();
    going.abort();
    await settle();
    assert.equal(world.transport.reads.length, 2);
    world.answers[1]?.reject(new Error('no network'));
    await settle();
    assert.equal(world.transport.reads.length, 3);
    for (const hide of world.hiders) hide();
    await settle();
    assert.equal(world.transport.reads.length, 4);
    for (const answer of world.answers) answer.resolve(unchanged);
    assert.deepEqual(
      (await outcomes).map(({ status }) => status),
      ['rejected', 'rejected', 'fulfilled', 'fulfilled'],
    );
    await settle();
    assertClean(world);
  });

  it('asks without a turn when none came for twice the time that an answer is held back', async () => {
    const world = tabs();
    const reads = [world.open()(), world.open()()];
    await settle();
    await world.clock.advance(49_999);
    assert.equal(world.transport.reads.length, 1);
    await world.clock.advance(1);
    assert.equal(world.transport.reads.length, 2);
    for (const answer of world.answers) answer.resolve(unchanged);
    await Promise.all(reads);
    await settle();
    assertClean(world);
  });

  it('leaves nothing behind when it is stopped while it waits for its turn', async () => {
    const world = tabs();
    const stopped = new AbortController();
    const first = world.open()();
    const second = world.open()(held, stopped.signal);
    await settle();
    stopped.abort();
    await assert.rejects(second);
    world.answers[0]?.resolve(unchanged);
    await first;
    await settle();
    assertClean(world);
  });

  it('asks directly where the browser has no locks, or refuses them', async () => {
    const refusing = new FakeLocks();
    refusing.request = () => Promise.reject(new DOMException('not here', 'SecurityError'));
    for (const locks of [null, refusing]) {
      const world = tabs(locks);
      const reads = [world.open()(), world.open()()];
      await settle();
      assert.equal(world.transport.reads.length, 2);
      for (const answer of world.answers) answer.resolve(unchanged);
      await Promise.all(reads);
      assertClean(world);
    }
  });
});
