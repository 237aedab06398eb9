import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sharedTransport, type Channel, type SharingPorts } from '../../src/client/cross-tab-transport.ts';
import type { ReadAnswer, ReadRequest } from '../../src/core.ts';
import { makeCheckout } from '../support/checkout-responses.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';
import { Deferred, FakeTransport } from '../support/fake-transport.ts';
import { importWithDefect, type SourceDefect } from '../support/import-with-defect.ts';
import { FakeChannels, FakeLocks } from './fake-tabs.ts';

const held: ReadRequest = { etag: '"1"', waitSeconds: 25 };
const unchanged: ReadAnswer = { kind: 'unchanged' };
const changed: ReadAnswer = { kind: 'checkout', checkout: makeCheckout('paid'), etag: '"2"' };

/** Tabs of one origin that show the same checkout; `answers` are what their reads wait for, in order. */
function tabs(locks: FakeLocks | null = new FakeLocks()) {
  const clock = new FakeClock();
  const answers: Deferred<ReadAnswer>[] = [];
  const visibilityListeners = new Set<() => void>();
  const channels = new FakeChannels();
  const transport = new FakeTransport(clock, () => {
    const answer = new Deferred<ReadAnswer>();
    answers.push(answer);
    return answer.promise;
  });
  const open = (page = { visible: true }) => {
    const tab = sharedTransport(transport, 'chk', {
      clock,
      locks: (locks ?? undefined) as LockManager | undefined,
      isVisible: () => page.visible,
      openChannel: (name) => channels.open(name),
      onVisibility(callback) {
        visibilityListeners.add(callback);
        return () => void visibilityListeners.delete(callback);
      },
    });
    return (request: ReadRequest = held, signal = new AbortController().signal) => tab.read(request, signal);
  };
  return { clock, locks, transport, answers, visibilityListeners, channels, open };
}

/** Nothing is left of any read. */
function assertClean({ clock, locks, transport, visibilityListeners, channels }: ReturnType<typeof tabs>): void {
  assert.deepEqual(
    [clock.pending, locks?.size ?? 0, transport.reading, visibilityListeners.size, channels.size],
    [0, 0, 0, 0, 0],
  );
}

describe('the cross-tab transport', () => {
  it('sends one long poll at a time, and the next tab sends its own when the response has arrived', async () => {
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
    'by a tab with another ETag': { ...held, etag: '"2"' },
  }))
    it(`sends a read at once when it is ${what}`, async () => {
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

  it('lets the next tab read at once when the tab with the lock closes, fails or is hidden', async () => {
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
    for (const hide of world.visibilityListeners) hide();
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

  it('reads without the lock after twice the duration of a long poll', async () => {
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

  it('reads when a browser grants the lock although the wait for it has been given up', async () => {
    const granted = new Deferred<void>();
    const locks = new FakeLocks();
    locks.request = async (_name, _options, turn) => {
      await granted.promise;
      await turn({});
    };
    const world = tabs(locks);
    const read = world.open()();
    await world.clock.advance(50_000);
    granted.resolve();
    await settle();
    assert.equal(world.transport.reads.length, 1);
    world.answers[0]?.resolve(unchanged);
    await read;
    await settle();
    assertClean(world);
  });

  it('sends nothing from a hidden tab while others read, and reads at once when they report a change', async () => {
    const world = tabs();
    const seen = world.open();
    const hidden = world.open({ visible: false })();
    for (let round = 0; round < 4; round += 1) {
      const read = seen();
      await world.clock.advance(25_000);
      world.answers.at(-1)?.resolve(unchanged);
      await read;
    }
    assert.equal(world.transport.reads.length, 4);
    const read = seen();
    await world.clock.advance(1000);
    world.answers.at(-1)?.resolve(changed);
    await read;
    await settle();
    assert.deepEqual(world.transport.reads.at(-1)?.request, { etag: '"1"' });
    world.answers.at(-1)?.resolve(changed);
    assert.equal(await hidden, changed);
    await settle();
    assertClean(world);
  });

  it('lets one of several hidden tabs read, every twenty seconds', async () => {
    const world = tabs();
    const going = new AbortController();
    const open = world.open({ visible: false });
    const reads = Promise.allSettled([open(held, going.signal), open(held, going.signal), open(held, going.signal)]);
    await world.clock.advance(19_999);
    assert.equal(world.transport.reads.length, 0);
    await world.clock.advance(1);
    assert.equal(world.transport.reads.length, 1);
    world.answers[0]?.resolve(unchanged);
    await world.clock.advance(19_999);
    assert.equal(world.transport.reads.length, 1);
    await world.clock.advance(1);
    assert.equal(world.transport.reads.length, 2);
    going.abort();
    await reads;
    await settle();
    assertClean(world);
  });

  it('reads at once when the tab is shown, and releases a lock that comes too late', async () => {
    const world = tabs();
    const page = { visible: false };
    const hidden = world.open(page)();
    page.visible = true;
    for (const onChange of world.visibilityListeners) onChange();
    await settle();
    assert.equal(world.transport.reads.length, 1);
    await world.clock.advance(30_000);
    world.answers[0]?.resolve(unchanged);
    await hidden;
    await settle();
    assertClean(world);
  });

  it('leaves nothing behind when a read is aborted while it waits for the lock', async () => {
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

  it('reads directly where the browser has no locks, or refuses them', async () => {
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

describe('a browser without an optional API', () => {
  const broken = (): never => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  };
  const silent: Channel = { onmessage: null, postMessage: broken, close: () => undefined };
  const locks = new FakeLocks() as unknown as LockManager;
  const missing: Partial<LockManager> = {};

  const browsers = {
    'channels that throw when they are opened': { locks, openChannel: broken },
    'channels that throw when they send': { locks, openChannel: () => silent },
    'locks that throw': { locks: { request: broken }, openChannel: broken },
    'locks that are not functions': { locks: missing as LockManager, openChannel: broken },
  };

  /** @throws AssertionError when a read does not get its answer */
  async function checkAnswers(
    share: typeof sharedTransport,
    ports: Pick<SharingPorts, 'locks' | 'openChannel'>,
    visible: boolean,
  ): Promise<void> {
    const clock = new FakeClock();
    const transport = new FakeTransport(clock, () => changed);
    const shared = share(transport, 'chk', {
      clock,
      isVisible: () => visible,
      onVisibility: () => () => undefined,
      ...ports,
    });
    for (const request of [held, { etag: '"1"' }]) {
      let answer: ReadAnswer | undefined;
      const take = (given: ReadAnswer): void => void (answer = given);
      shared.read(request, new AbortController().signal).then(take, () => undefined);
      await clock.advance(60_000);
      assert.equal(answer, changed);
    }
    assert.equal(clock.pending, 0);
  }

  for (const [what, ports] of Object.entries(browsers))
    for (const visible of [true, false])
      it(`gets every answer with ${what}, ${visible ? 'visible' : 'hidden'}`, () =>
        checkAnswers(sharedTransport, ports, visible));

  const defects: readonly (Omit<SourceDefect, 'file'> & {
    readonly name: string;
    readonly browser: keyof typeof browsers;
    readonly visible: boolean;
  })[] = [
    {
      name: 'what an optional API throws is thrown',
      browser: 'channels that throw when they are opened',
      visible: false,
      find: 'return undefined; // The tab then reads without the others.',
      replace: "throw new Error('insecure');",
    },
    {
      name: 'an answer is lost when the other tabs cannot be told',
      browser: 'channels that throw when they send',
      visible: true,
      find: 'optional(() => (channel ??= openChannel(key)).postMessage(answer.kind));',
      replace: '(channel ??= openChannel(key)).postMessage(answer.kind);',
    },
    {
      name: 'a tab that gets no lock waits for it',
      browser: 'locks that throw',
      visible: false,
      find: '} catch {\n                go();',
      replace: '} catch {\n',
    },
  ];
  for (const { name, browser, visible, ...defect } of defects)
    it(`a defect is found: ${name}`, async (t) => {
      interface Module {
        readonly sharedTransport: typeof sharedTransport;
      }
      const file = 'src/client/cross-tab-transport.ts';
      const check = async (replace: string): Promise<void> => {
        const module = await importWithDefect<Module>(t, file, { file, find: defect.find, replace });
        await checkAnswers(module.sharedTransport, browsers[browser], visible);
      };
      await check(defect.find); // without the defect
      await assert.rejects(check(defect.replace), assert.AssertionError);
    });
});
