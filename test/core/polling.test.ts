import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError } from '../../src/core.ts';
import { backoff } from '../../src/core/backend-poller.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkouts.ts';
import { settle } from '../support/fake-clock.ts';
import { createTestSession, expectStatus } from '../support/test-session.ts';

describe('a read', () => {
  it('is held back by the backend while requisites wait, and follows the last one at once', async () => {
    const { session, clock, transport } = createTestSession(makeCheckout('pending'));
    session.start();
    await settle();
    await clock.advance(2000 + 25_000 + 25_000);
    assert.deepEqual(
      transport.reads.map(({ request }) => [request.etag, request.waitSeconds]),
      [
        [undefined, undefined],
        ['"1"', 25],
        ['"1"', 25],
        ['"1"', 25],
      ],
    );
    assert.equal(transport.mostReading, 1);
  });

  it('comes by the advice of a backend that does not hold', async () => {
    const { session, clock, transport, backend } = createTestSession(
      makeCheckout('pending', {}, { poll_after_ms: 3000 }),
    );
    backend.holds = false;
    session.start();
    await clock.advance(30_000);
    const gaps = transport.reads.slice(1).map(({ at }, index) => at - (transport.reads[index]?.at ?? 0));
    assert.deepEqual(new Set(gaps), new Set([3000]));
  });

  for (const advice of [0, 1, 999])
    it(`comes at most once a second when the advice is ${advice} ms`, async () => {
      const { session, clock, transport, backend } = createTestSession(
        makeCheckout('pending', {}, { poll_after_ms: advice }),
      );
      backend.holds = false;
      session.start();
      await clock.advance(10_000);
      assert.equal(transport.reads.length, 11);
    });

  it('comes within a minute, whatever the advice', async () => {
    const { session, clock, transport, backend } = createTestSession(
      makeCheckout('pending', {}, { poll_after_ms: Number.MAX_SAFE_INTEGER }),
    );
    backend.holds = false;
    session.start();
    await clock.advance(60_000);
    assert.equal(transport.reads.length, 2);
  });

  it('never overlaps another, however long it takes', async () => {
    const { session, clock, transport, pageLifecycle } = createTestSession(makeCheckout('pending'));
    transport.onRead = () => new Promise(() => undefined);
    session.start();
    for (let n = 0; n < 50; n += 1) {
      pageLifecycle.resume();
      void session.refresh();
      await clock.advance(500);
    }
    assert.equal(transport.mostReading, 1);
  });

  it('that is unchanged although nothing was known is an error and no hot loop', async () => {
    const { session, clock, transport } = createTestSession(makeOpenCheckout());
    transport.onRead = () => ({ kind: 'unchanged' });
    session.start();
    await clock.advance(60_000);
    const state = expectStatus(session, 'loading');
    assert.equal(state.connection.error?.code, 'malformed');
    assert.ok(transport.reads.length < 20);
  });
});

describe('a wake', () => {
  it('is one read, however many events it brings', async () => {
    const { session, clock, transport, pageLifecycle } = createTestSession(makeCheckout('pending'));
    session.start();
    await clock.advance(10_000);
    const before = transport.reads.length;
    for (let n = 0; n < 10; n += 1) {
      pageLifecycle.resume(5);
      await clock.advance(90);
    }
    assert.equal(transport.reads.length - before, 1);
    assert.equal(transport.reads.at(-1)?.request.waitSeconds, undefined);
    assert.equal(transport.mostReading, 1);
  });

  it('reads at once, also when the last read failed and the next is far', async () => {
    const { session, clock, transport, pageLifecycle, backend } = createTestSession(makeCheckout('pending'), {
      random: () => 0.99,
    });
    transport.onRead = () => new CheckoutError('network', '');
    session.start();
    await clock.advance(200_000);
    const before = transport.reads.length;
    await clock.advance(3000);
    assert.equal(transport.reads.length, before);
    transport.onRead = backend.read;
    pageLifecycle.resume();
    await settle();
    assert.equal(session.getState().status, 'waiting');
  });

  it('soon after a failure brings the next read forward', async () => {
    const { session, clock, transport, pageLifecycle, backend } = createTestSession(makeCheckout('pending'), {
      random: () => 0.99,
    });
    transport.onRead = () => new CheckoutError('try_again', '', { retryAfterMs: 60_000 });
    session.start();
    await clock.advance(200);
    transport.onRead = backend.read;
    pageLifecycle.resume();
    await clock.advance(800);
    assert.equal(session.getState().status, 'waiting');
  });

  it('soon after an answer asks nothing more', async () => {
    const { session, clock, transport, pageLifecycle } = createTestSession(makeOpenCheckout());
    session.start();
    await clock.advance(200);
    pageLifecycle.resume();
    await clock.advance(5000);
    assert.equal(transport.reads.length, 1);
  });

  it('joins a read that is not held, however slow it is', async () => {
    const { session, clock, transport, pageLifecycle } = createTestSession(makeCheckout('pending'));
    transport.onRead = () => new Promise(() => undefined);
    session.start();
    await clock.advance(5000);
    pageLifecycle.resume();
    void session.refresh();
    assert.equal(transport.reads.length, 1);
    assert.equal(transport.reads[0]?.signal.aborted, false);
  });

  it('after a sleep doubts the time and asks anew, in one read', async () => {
    const { session, clock, transport, pageLifecycle } = createTestSession(makeCheckout('pending'));
    session.start();
    await clock.advance(10_000);
    const before = transport.reads.length;
    clock.sleep(60_000);
    pageLifecycle.resume(3);
    assert.equal(expectStatus(session, 'waiting').deadline?.certain, false);
    await settle();
    assert.equal(transport.reads.length - before, 1);
    assert.equal(transport.reads.at(-1)?.request.etag, undefined);
    assert.equal(expectStatus(session, 'waiting').deadline?.certain, true);
  });

  it('reads nothing when it is paid or lost', async () => {
    const { session, clock, transport, pageLifecycle } = createTestSession(makeCheckout('paid'));
    session.start();
    await clock.advance(5000);
    pageLifecycle.resume();
    await clock.advance(5000);
    assert.equal(transport.reads.length, 1);
  });
});

describe('a hidden page', () => {
  it('lets its answers be held, and asks more slowly where they are not', async () => {
    for (const [holds, reads] of [
      [true, 8],
      [false, 10],
    ] as const) {
      const { session, clock, transport, pageLifecycle, backend } = createTestSession(makeCheckout('pending'));
      backend.holds = holds;
      session.start();
      await settle();
      pageLifecycle.visible = false;
      await clock.advance(26_000);
      const before = transport.reads.length;
      await clock.advance(200_000);
      const hidden = transport.reads.slice(before);
      assert.equal(hidden.length, reads);
      assert.ok(hidden.every(({ request }) => request.waitSeconds === 25));
      session.stop();
    }
  });
});

describe('errors', () => {
  it('never end a payment: two hundred of them, then paid', async () => {
    const { session, clock, transport, backend, eventTypes } = createTestSession(makeCheckout('pending'));
    session.start();
    await settle();
    const codes = ['network', 'timeout', 'malformed', 'internal', 'try_again', 'rate_limited'] as const;
    transport.onRead = (_, index) =>
      new CheckoutError(codes[index % codes.length] ?? 'network', '', { retryAfterMs: index * 10 });
    while (transport.reads.length <= 200) {
      await clock.advance(10_000);
      assert.equal(session.getState().status, 'waiting');
    }
    assert.ok(expectStatus(session, 'waiting').connection.failures >= 200);
    backend.set(makeCheckout('paid'));
    transport.onRead = backend.read;
    await clock.advance(300_000);
    assert.equal(session.getState().status, 'paid');
    assert.equal(expectStatus(session, 'paid').connection.failures, 0);
    assert.equal(eventTypes().filter((type) => type === 'paid').length, 1);
  });

  it('are told once while they stay the same', async () => {
    const { session, clock, transport, eventTypes } = createTestSession(makeCheckout('pending'));
    session.start();
    await settle();
    transport.onRead = () => new CheckoutError('network', '');
    await clock.advance(600_000);
    assert.deepEqual(eventTypes(), ['ready', 'status', 'error network']);
  });

  it('of any kind thrown by a transport are survived', async () => {
    for (const thrown of [new TypeError('x'), new DOMException('x', 'AbortError')]) {
      const { session, clock, transport, backend } = createTestSession(makeCheckout('pending'));
      transport.onRead = (request, index) => (index < 3 ? thrown : backend.read(request));
      session.start();
      await clock.advance(60_000);
      assert.equal(session.getState().status, 'waiting');
      session.stop();
    }
  });

  for (const [failures, random, retryAfter, expected] of [
    [1, 0, undefined, 500],
    [1, 0.5, undefined, 1000],
    [3, 0.5, undefined, 4000],
    [5, 0.999, undefined, 29_970],
    [2000, 0.5, undefined, 15_000],
    [1, 0, 7000, 7000],
    [10, 0.5, 7000, 15_000],
    [1, 0.5, 86_400_000, 300_000],
  ] as const)
    it(`wait ${expected} ms after ${failures} with jitter ${random} and Retry-After ${retryAfter ?? '-'}`, () => {
      assert.equal(backoff(failures, random, retryAfter), expected);
    });
});
