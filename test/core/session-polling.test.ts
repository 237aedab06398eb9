import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError } from '../../src/core.ts';
import { backoff } from '../../src/core/session-commands.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkout-responses.ts';
import { assertSameTime, settle } from '../support/fake-clock.ts';
import { createTestSession, startTestSession, expectStatus } from '../support/test-session.ts';

describe('a read of the checkout', () => {
  it('is a long poll while the invoice waits for payment, and the next long poll starts as soon as it ends', async () => {
    const { clock, transport } = await startTestSession(makeCheckout('pending'));
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

  it('starts poll_after_ms after the previous read when the backend does not support long polls', async () => {
    const { session, clock, transport, backend } = createTestSession(
      makeCheckout('pending', {}, { poll_after_ms: 3000 }),
    );
    backend.holds = false;
    session.start();
    await clock.advance(30_000);
    assert.equal(transport.reads.length, 11);
    for (const [index, { at }] of transport.reads.slice(1).entries())
      assertSameTime(at - (transport.reads[index]?.at ?? NaN), 3000);
  });

  it('never overlaps another read, even if that read never ends', async () => {
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

  it('whose response is “unchanged” although no entity tag was sent fails, and is repeated with a delay', async () => {
    const { session, clock, transport } = createTestSession(makeOpenCheckout());
    transport.onRead = () => ({ kind: 'unchanged' });
    session.start();
    await clock.advance(60_000);
    const state = expectStatus(session, 'loading');
    assert.equal(state.connection.error?.code, 'malformed');
    assert.ok(transport.reads.length < 20);
  });
});

describe('a page that resumes', () => {
  it('causes one read of a whole response, however many resume events fire', async () => {
    const { session, clock, transport, pageLifecycle } = createTestSession(makeCheckout('pending'));
    session.start();
    await clock.advance(10_000);
    const readsBefore = transport.reads.length;
    for (let n = 0; n < 10; n += 1) {
      pageLifecycle.resume(5);
      await clock.advance(90);
    }
    assert.equal(transport.reads.length - readsBefore, 1);
    const { waitSeconds, etag } = transport.reads.at(-1)?.request ?? assert.fail();
    assert.deepEqual({ waitSeconds, etag }, { waitSeconds: undefined, etag: undefined });
    assert.equal(transport.mostReading, 1);
  });

  it('reads the checkout at once, even if the next read after many failures is planned for later', async () => {
    const { session, clock, transport, pageLifecycle, backend } = createTestSession(makeCheckout('pending'), {
      random: () => 0.99,
    });
    transport.onRead = () => new CheckoutError('network', '');
    session.start();
    await clock.advance(200_000);
    const readsBefore = transport.reads.length;
    await clock.advance(3000);
    assert.equal(transport.reads.length, readsBefore);
    transport.onRead = backend.read;
    pageLifecycle.resume();
    await settle();
    assert.equal(session.getState().status, 'waiting');
  });

  it('brings the next read forward to 1 s after a read that has just failed', async () => {
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

  it('reads nothing when a response has just arrived', async () => {
    const { session, clock, transport, pageLifecycle } = createTestSession(makeOpenCheckout());
    session.start();
    await clock.advance(200);
    pageLifecycle.resume();
    await clock.advance(5000);
    assert.equal(transport.reads.length, 1);
  });

  it('reads nothing when the checkout is paid or does not exist', async () => {
    for (const doesExist of [true, false]) {
      const { session, clock, transport, pageLifecycle } = createTestSession(makeCheckout('paid'));
      if (!doesExist) transport.onRead = () => new CheckoutError('not_found', '');
      session.start();
      await clock.advance(5000);
      pageLifecycle.resume();
      await clock.advance(5000);
      assert.equal(transport.reads.length, 1);
    }
  });
});

describe('a hidden page', () => {
  it('reads every 20 s when the backend does not support long polls', async () => {
    const { clock, transport, pageLifecycle, backend } = await startTestSession(makeCheckout('pending'));
    backend.holds = false;
    pageLifecycle.visible = false;
    await clock.advance(26_000);
    const readsBefore = transport.reads.length;
    await clock.advance(200_000);
    assert.equal(transport.reads.length - readsBefore, 10);
  });
});

describe('errors of reads', () => {
  it('do not end the polling: a payment is shown even after two hundred errors', async () => {
    const { session, clock, transport, backend, eventTypes } = await startTestSession(makeCheckout('pending'));
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

  for (const [failures, random, retryAfterMs, expectedMs] of [
    [1, 0, undefined, 500],
    [1, 0.5, undefined, 1000],
    [3, 0.5, undefined, 4000],
    [5, 0.999, undefined, 29_970],
    [2000, 0.5, undefined, 15_000],
    [1, 0, 7000, 7000],
    [10, 0.5, 7000, 15_000],
    [1, 0.5, 7000, 8750],
    [1, 0.5, 86_400_000, 375_000],
  ] as const)
    it(`delay the next read by ${expectedMs} ms after ${failures} failures, with jitter ${random} and ${retryAfterMs === undefined ? 'no Retry-After' : `a Retry-After of ${retryAfterMs} ms`}`, () => {
      assert.equal(backoff(failures, random, retryAfterMs), expectedMs);
    });
});

/** A session whose long polls end with an error after a time, until `isTrouble` is set to false. Plain reads succeed. */
function createTroubledSession(heldMs: number, error: CheckoutError) {
  const testSession = createTestSession(makeCheckout('pending'));
  const { transport, backend, clock, states } = testSession;
  const trouble = { isTrouble: true };
  transport.onRead = async (request) => {
    if (request.waitSeconds === undefined || !trouble.isTrouble) return backend.read(request);
    await new Promise<void>((resolve) => void clock.schedule(heldMs, resolve));
    throw error;
  };
  const countReads = (): { plain: number; long: number } => {
    const long = transport.reads.filter(({ request }) => request.waitSeconds !== undefined).length;
    return { plain: transport.reads.length - long, long };
  };
  const mostFailures = (): number =>
    Math.max(...states.map((state) => ('connection' in state ? state.connection.failures : 0)));
  return { ...testSession, trouble, countReads, mostFailures };
}

describe('a proxy that cuts every long poll after 20 s', () => {
  const cut = new CheckoutError('network', 'cut');

  it('is answered with plain polls from the second cut on, and never costs two failed reads in a row', async () => {
    const { session, clock, backend, countReads, mostFailures } = createTroubledSession(20_000, cut);
    session.start();
    await clock.advance(75_000);
    assert.equal(countReads().long, 2);
    assert.ok(countReads().plain > 12);
    await clock.advance(525_000);
    assert.ok(countReads().long <= 8, `${countReads().long} long polls in ten minutes`);
    assert.equal(mostFailures(), 1);
    backend.set(makeCheckout('paid'));
    await clock.advance(25_000);
    assert.equal(session.getState().status, 'paid');
  });

  it('gets long polls again within five minutes after it has stopped', async () => {
    const { session, clock, trouble, countReads } = createTroubledSession(20_000, cut);
    session.start();
    await clock.advance(1_200_000);
    trouble.isTrouble = false;
    await clock.advance(300_000);
    const { plain } = countReads();
    await clock.advance(300_000);
    assert.equal(countReads().plain, plain);
  });
});

describe('a long poll', () => {
  for (const [title, heldMs, error] of [
    ['a refused connection', 5, new CheckoutError('network', '')],
    ['an error page of a proxy whose server is away', 200, new CheckoutError('internal', '')],
    ['the backend’s 503', 100, new CheckoutError('try_again', '', { retryAfterMs: 2000 })],
    ['the backend’s 503 after a long wait', 20_000, new CheckoutError('try_again', '')],
    ['the backend’s 429', 100, new CheckoutError('rate_limited', '')],
    ['the end of a server that was killed', 20_000, new CheckoutError('network', '')],
  ] as const)
    it(`is followed by long polls after ${title}`, async () => {
      const { session, clock, trouble, countReads, transport } = createTroubledSession(heldMs, error);
      session.start();
      await clock.advance(2000 + heldMs + 1);
      assert.equal(transport.reads.length, 2);
      trouble.isTrouble = false;
      await clock.advance(300_000);
      const { plain, long } = countReads();
      assert.ok(plain <= 2 && long >= 11, `${plain} plain reads and ${long} long polls`);
    });

  it('is followed by long polls when only every second one is cut', async () => {
    const { session, clock, transport, backend } = createTestSession(makeCheckout('pending'));
    let longPolls = 0;
    transport.onRead = async (request) => {
      if (request.waitSeconds === undefined || (longPolls += 1) % 2 === 0) return backend.read(request);
      await new Promise<void>((resolve) => void clock.schedule(20_000, resolve));
      throw new CheckoutError('network', 'cut');
    };
    session.start();
    await clock.advance(600_000);
    assert.ok(longPolls > 24, `${longPolls} long polls`);
    assert.ok(transport.reads.length < 45, `${transport.reads.length} reads`);
  });

  it('repeats a read that the backend refused, so that a backend under load can hold it', async () => {
    const { session, clock, transport, backend } = createTestSession(makeCheckout('pending'));
    session.start();
    await clock.advance(1000);
    transport.onRead = (request, index) => (index > 4 ? backend.read(request) : new CheckoutError('try_again', ''));
    await clock.advance(60_000);
    assert.deepEqual(
      transport.reads.slice(1).filter(({ request }) => request.waitSeconds === undefined),
      [],
    );
  });
});
