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

/** Tabs of one origin that show the same checkout. Each read waits for the answer of its number in `answers`. */
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

/** Asserts that no read has left a timer, a lock, a listener or a channel behind. */
function assertClean({ clock, locks, transport, visibilityListeners, channels }: ReturnType<typeof tabs>): void {
  assert.deepEqual(
    [clock.pending, locks?.size ?? 0, transport.reading, visibilityListeners.size, channels.size],
    [0, 0, 0, 0, 0],
  );
}

describe('the cross-tab transport', () => {
  it('sends one long poll at a time, and the next tab sends its own when the response has arrived', async () => {
    const origin = tabs();
    const [first, second] = [origin.open()(), origin.open()()];
    await settle();
    assert.equal(origin.transport.reads.length, 1);
    origin.answers[0]?.resolve(unchanged);
    assert.equal(await first, unchanged);
    await settle();
    assert.equal(origin.transport.reads.length, 2);
    origin.answers[1]?.resolve(unchanged);
    assert.equal(await second, unchanged);
    assert.equal(origin.transport.mostReading, 1);
    await settle();
    assertClean(origin);
  });

  for (const [what, request] of Object.entries<ReadRequest>({
    'not held back': { etag: '"1"' },
    'the first': {},
    'for an amount': { ...held, amount: '5.00' },
    'for the options': { ...held, options: true },
    'by a tab with another ETag': { ...held, etag: '"2"' },
  }))
    it(`sends a read at once when it is ${what}`, async () => {
      const origin = tabs();
      void origin.open()();
      await settle();
      void origin.open()(request);
      await settle();
      assert.deepEqual(
        origin.transport.reads.map((call) => call.request),
        [held, request],
      );
    });

  it('lets the next tab read at once when the tab with the lock closes, fails or is hidden', async () => {
    const origin = tabs();
    const closing = new AbortController();
    const reads = [origin.open()(held, closing.signal), origin.open()(), origin.open()(), origin.open()()];
    const outcomes = Promise.allSettled(reads);
    await settle();
    closing.abort();
    await settle();
    assert.equal(origin.transport.reads.length, 2);
    origin.answers[1]?.reject(new Error('no network'));
    await settle();
    assert.equal(origin.transport.reads.length, 3);
    for (const hide of origin.visibilityListeners) hide();
    await settle();
    assert.equal(origin.transport.reads.length, 4);
    for (const answer of origin.answers) answer.resolve(unchanged);
    assert.deepEqual(
      (await outcomes).map(({ status }) => status),
      ['rejected', 'rejected', 'fulfilled', 'fulfilled'],
    );
    await settle();
    assertClean(origin);
  });

  it('reads without the lock after twice the duration of a long poll', async () => {
    const origin = tabs();
    const reads = [origin.open()(), origin.open()()];
    await settle();
    await origin.clock.advance(49_999);
    assert.equal(origin.transport.reads.length, 1);
    await origin.clock.advance(1);
    assert.equal(origin.transport.reads.length, 2);
    for (const answer of origin.answers) answer.resolve(unchanged);
    await Promise.all(reads);
    await settle();
    assertClean(origin);
  });

  it('reads when a browser grants the lock although the wait for it has been given up', async () => {
    const granted = new Deferred<void>();
    const locks = new FakeLocks();
    locks.request = async (_name, _options, turn) => {
      await granted.promise;
      await turn({});
    };
    const origin = tabs(locks);
    const read = origin.open()();
    await origin.clock.advance(50_000);
    granted.resolve();
    await settle();
    assert.equal(origin.transport.reads.length, 1);
    origin.answers[0]?.resolve(unchanged);
    await read;
    await settle();
    assertClean(origin);
  });

  it('sends nothing from a hidden tab while others read, and reads at once when they report a change', async () => {
    const origin = tabs();
    const readVisible = origin.open();
    const hidden = origin.open({ visible: false })();
    for (let round = 0; round < 4; round += 1) {
      const read = readVisible();
      await origin.clock.advance(25_000);
      origin.answers.at(-1)?.resolve(unchanged);
      await read;
    }
    assert.equal(origin.transport.reads.length, 4);
    const read = readVisible();
    await origin.clock.advance(1000);
    origin.answers.at(-1)?.resolve(changed);
    await read;
    await settle();
    assert.deepEqual(origin.transport.reads.at(-1)?.request, { etag: '"1"' });
    origin.answers.at(-1)?.resolve(changed);
    assert.equal(await hidden, changed);
    await settle();
    assertClean(origin);
  });

  it('lets one of several hidden tabs read, every twenty seconds', async () => {
    const origin = tabs();
    const closing = new AbortController();
    const open = origin.open({ visible: false });
    const reads = Promise.allSettled([
      open(held, closing.signal),
      open(held, closing.signal),
      open(held, closing.signal),
    ]);
    await origin.clock.advance(19_999);
    assert.equal(origin.transport.reads.length, 0);
    await origin.clock.advance(1);
    assert.equal(origin.transport.reads.length, 1);
    origin.answers[0]?.resolve(unchanged);
    await origin.clock.advance(19_999);
    assert.equal(origin.transport.reads.length, 1);
    await origin.clock.advance(1);
    assert.equal(origin.transport.reads.length, 2);
    closing.abort();
    await reads;
    await settle();
    assertClean(origin);
  });

  it('reads at once when the tab is shown, and releases a lock that comes too late', async () => {
    const origin = tabs();
    const page = { visible: false };
    const hidden = origin.open(page)();
    page.visible = true;
    for (const onChange of origin.visibilityListeners) onChange();
    await settle();
    assert.equal(origin.transport.reads.length, 1);
    await origin.clock.advance(30_000);
    origin.answers[0]?.resolve(unchanged);
    await hidden;
    await settle();
    assertClean(origin);
  });

  it('leaves nothing behind when a read is aborted while it waits for the lock', async () => {
    const origin = tabs();
    const stopped = new AbortController();
    const first = origin.open()();
    const second = origin.open()(held, stopped.signal);
    await settle();
    stopped.abort();
    await assert.rejects(second);
    origin.answers[0]?.resolve(unchanged);
    await first;
    await settle();
    assertClean(origin);
  });

  it('reads directly where the browser has no locks, or refuses them', async () => {
    const refusing = new FakeLocks();
    refusing.request = () => Promise.reject(new DOMException('not here', 'SecurityError'));
    for (const locks of [null, refusing]) {
      const origin = tabs(locks);
      const reads = [origin.open()(), origin.open()()];
      await settle();
      assert.equal(origin.transport.reads.length, 2);
      for (const answer of origin.answers) answer.resolve(unchanged);
      await Promise.all(reads);
      assertClean(origin);
    }
  });
});

describe('a browser without an optional API', () => {
  const broken = (): never => {
    throw new DOMException('The operation is insecure.', 'SecurityError');
  };
  const throwingChannel: Channel = { onmessage: null, postMessage: broken, close: () => undefined };
  const locks = new FakeLocks() as unknown as LockManager;
  const locksWithoutMethods: Partial<LockManager> = {};

  const browsers = {
    'channels that throw when they are opened': { locks, openChannel: broken },
    'channels that throw when they send': { locks, openChannel: () => throwingChannel },
    'locks that throw': { locks: { request: broken }, openChannel: broken },
    'locks that are not functions': { locks: locksWithoutMethods as LockManager, openChannel: broken },
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
      const keep = (given: ReadAnswer): void => void (answer = given);
      shared.read(request, new AbortController().signal).then(keep, () => undefined);
      await clock.advance(60_000);
      assert.equal(answer, changed);
    }
    assert.equal(clock.pending, 0);
  }

  for (const [what, ports] of Object.entries(browsers))
    for (const visible of [true, false])
      it(`gets every answer in a ${visible ? 'visible' : 'hidden'} tab with ${what}`, () =>
        checkAnswers(sharedTransport, ports, visible));

  const defects: readonly (Omit<SourceDefect, 'file'> & {
    readonly name: string;
    readonly browser: keyof typeof browsers;
    readonly visible: boolean;
  })[] = [
    {
      name: 'the error of an optional API is thrown',
      browser: 'channels that throw when they are opened',
      visible: false,
      find: 'return undefined; // The tab then reads without sharing.',
      replace: "throw new Error('insecure');",
    },
    {
      name: 'an answer is lost when the other tabs cannot be notified',
      browser: 'channels that throw when they send',
      visible: true,
      find: 'resultOrUndefined(() => (channel ??= openChannel(key)).postMessage(answer.kind));',
      replace: '(channel ??= openChannel(key)).postMessage(answer.kind);',
    },
    {
      name: 'a tab that gets no lock waits for it',
      browser: 'locks that throw',
      visible: false,
      find: '} catch {\n                proceed();',
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
      await check(defect.find); // Without the defect the check passes.
      await assert.rejects(check(defect.replace), assert.AssertionError);
    });
});
