import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError, type ReadAnswer } from '../../src/core.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkout-responses.ts';
import { settle } from '../support/fake-clock.ts';
import { Deferred } from '../support/fake-transport.ts';
import { createTestSession, expectStatus } from '../support/test-session.ts';

const minute = 60_000;
const hour = 60 * minute;
const tenYears = 10 * 365 * 24 * hour;

describe('the deadline', () => {
  it('is counted from the response, on the monotonic clock', async () => {
    const { session, clock } = createTestSession(makeCheckout('pending', { expires_in_ms: 90_000 }));
    session.start();
    await settle();
    assert.deepEqual(expectStatus(session, 'waiting').deadline, {
      at: clock.now() + 90_000,
      span: 90_000,
      certain: true,
    });
  });

  it('is undefined when the service gave none', async () => {
    const { session, clock } = createTestSession(makeCheckout('pending', { expires_in_ms: undefined }));
    session.start();
    await clock.advance(hour);
    const state = expectStatus(session, 'waiting');
    assert.equal(state.deadline, undefined);
    assert.equal(state.verifyingExpiry, false);
  });

  for (const [difference, moves] of [
    [-1001, true],
    [-1000, false],
    [1000, false],
    [1001, true],
  ] as const)
    it(`${moves ? 'changes' : 'does not change'} with a response that differs by ${difference} ms`, async () => {
      const { session, clock, backend } = createTestSession(makeCheckout('pending', { expires_in_ms: 90_000 }));
      session.start();
      await settle();
      const before = expectStatus(session, 'waiting').deadline?.at ?? NaN;
      await clock.advance(10_000);
      backend.set(makeCheckout('pending', { expires_in_ms: 80_000 + difference }));
      await settle();
      assert.equal(expectStatus(session, 'waiting').deadline?.at, before + (moves ? difference : 0));
    });

  it('has a longer span when it is extended, and a new span for another invoice', async () => {
    const { session, clock, backend } = createTestSession(makeCheckout('pending', { expires_in_ms: 90_000 }));
    session.start();
    await clock.advance(10_000);
    backend.set(makeCheckout('pending', { expires_in_ms: 100_000 }));
    await settle();
    assert.equal(expectStatus(session, 'waiting').deadline?.span, 100_000);
    await clock.advance(5000);
    backend.set(makeCheckout('pending', { id: 'inv_2', expires_in_ms: 5000 }));
    await settle();
    assert.equal(expectStatus(session, 'waiting').deadline?.span, 5000);
  });

  for (const wall of [0, Date.now() - tenYears, Date.now() + tenYears])
    it(`is the same when the device clock shows the year ${new Date(wall).getUTCFullYear()}`, async () => {
      const { session, clock } = createTestSession(makeCheckout('pending', { expires_in_ms: 90_000 }));
      clock.sleep(wall - clock.wall());
      session.start();
      await clock.advance(30_000);
      const { deadline } = expectStatus(session, 'waiting');
      assert.equal((deadline?.at ?? 0) - clock.now(), 60_000);
      assert.equal(deadline?.certain, true);
    });
});

describe('a sleep of the device', () => {
  for (const [jump, detected] of [
    [2000, false],
    [-2000, false],
    [2001, true],
    [-2001, true],
    [2500, true],
    [-2500, true],
    [tenYears, true],
    [-tenYears, true],
  ] as const)
    it(`${detected ? 'is' : 'is not'} detected when the clocks drift apart by ${jump} ms`, async () => {
      const { session, clock, transport } = createTestSession(makeCheckout('pending'));
      session.start();
      await settle();
      const states: (boolean | undefined)[] = [];
      session.subscribe((state) => states.push(state.status === 'waiting' ? state.deadline?.certain : undefined));
      clock.sleep(jump);
      await clock.advance(5000);
      assert.deepEqual(states, detected ? [false, true] : []);
      const last = transport.reads.at(-1)?.request;
      if (detected) assert.deepEqual([last?.etag, last?.waitSeconds], [undefined, undefined]);
      assert.equal(transport.mostReading, 1);
    });

  it('leaves the deadline uncertain until a response arrives, not only until a read starts', async () => {
    const { session, clock, transport, backend } = createTestSession(makeCheckout('pending'));
    session.start();
    await settle();
    transport.onRead = () => new CheckoutError('network', '');
    clock.sleep(hour);
    session.checkSleep();
    await clock.advance(20_000);
    assert.equal(expectStatus(session, 'waiting').deadline?.certain, false);
    assert.ok(transport.reads.slice(1).every(({ request }) => request.etag === undefined || request.waitSeconds));
    transport.onRead = backend.read;
    await clock.advance(30_000);
    assert.equal(expectStatus(session, 'waiting').deadline?.certain, true);
  });

  it('is not detected on a hidden page, whose timers a browser delays', async () => {
    const { session, clock, transport, pageLifecycle } = createTestSession(makeCheckout('pending'));
    pageLifecycle.visible = false;
    session.start();
    await settle();
    clock.stall(16_000);
    await clock.advance(0);
    assert.equal(transport.reads.length, 1);
  });

  for (const kind of ['checkout', 'unchanged'] as const)
    it(`during a read leaves the deadline of its response (${kind}) uncertain`, async () => {
      const { session, clock, transport, backend } = createTestSession(makeCheckout('pending'));
      session.start();
      await settle();
      const slow = new Deferred<ReadAnswer>();
      transport.onRead = () => slow.promise;
      await clock.advance(2000);
      clock.sleep(60_000);
      transport.onRead = backend.read;
      slow.resolve(kind === 'checkout' ? { kind, checkout: backend.snapshot(), etag: '"1"' } : { kind });
      await settle();
      assert.equal(expectStatus(session, 'waiting').deadline?.certain, false);
      await clock.advance(1000);
      assert.equal(expectStatus(session, 'waiting').deadline?.certain, true);
    });

  it('is detected at once by checkSleep', async () => {
    const { session, clock, transport } = createTestSession(makeCheckout('pending'));
    session.start();
    await settle();
    const before = transport.reads.length;
    session.checkSleep();
    assert.equal(expectStatus(session, 'waiting').deadline?.certain, true);
    clock.sleep(60_000);
    session.checkSleep();
    assert.equal(expectStatus(session, 'waiting').deadline?.certain, false);
    session.checkSleep();
    await settle();
    assert.equal(expectStatus(session, 'waiting').deadline?.certain, true);
    assert.equal(transport.reads.length, before + 1);
  });

  it('corrects the countdown by as much as the device slept', async () => {
    const { session, clock, backend } = createTestSession(makeCheckout('pending', { expires_in_ms: 900_000 }));
    session.start();
    await settle();
    clock.sleep(600_000);
    backend.set(makeCheckout('pending', { expires_in_ms: 300_000 }));
    session.checkSleep();
    await clock.advance(2000);
    const { deadline } = expectStatus(session, 'waiting');
    assert.ok(Math.abs((deadline?.at ?? 0) - clock.now() - 298_000) < 2000);
  });

  it('is detected when a timer of a visible page fires far too late', async () => {
    const { session, clock, transport } = createTestSession(makeCheckout('pending'));
    session.start();
    await settle();
    clock.stall(16_000);
    await clock.advance(0);
    assert.equal(transport.reads.at(-1)?.request.etag, undefined);
    assert.equal(transport.mostReading, 1);
  });
});

describe('a deadline that has passed', () => {
  it('causes reads at once, and the state becomes expired only when the server reports it', async () => {
    const { session, clock, backend, transport, eventTypes } = createTestSession(
      makeCheckout('pending', { expires_in_ms: 10_000 }),
    );
    session.start();
    await settle();
    await clock.advance(9999);
    assert.equal(expectStatus(session, 'waiting').verifyingExpiry, false);
    const deadlineAt = clock.now() + 1;
    const before = transport.reads.length;
    await clock.advance(1);
    assert.equal(expectStatus(session, 'waiting').verifyingExpiry, true);
    await clock.advance(5000);
    const after = transport.reads.slice(before).map(({ at }) => at - deadlineAt);
    assert.deepEqual(after.slice(0, 4), [0, 1000, 2000, 4000]);
    await clock.advance(hour);
    assert.equal(expectStatus(session, 'waiting').verifyingExpiry, true);
    assert.ok(transport.reads.length < 200 + before);
    assert.equal(transport.mostReading, 1);
    backend.set(makeCheckout('expired'));
    await settle();
    assert.equal(session.getState().status, 'expired');
    assert.deepEqual(eventTypes(), ['ready', 'status', 'status', 'expired']);
  });

  it('causes frequent reads for a few seconds only, also when no time is left in every response', async () => {
    const { session, clock, backend, transport } = createTestSession(makeCheckout('pending', { expires_in_ms: 1000 }));
    transport.onRead = () => ({ kind: 'checkout', checkout: backend.snapshot(), etag: undefined });
    session.start();
    await clock.advance(61_000);
    assert.ok(transport.reads.length <= 35, String(transport.reads.length));
  });

  for (const late of [0, 1, 500, 999, 1000, 1500, 2000])
    it(`does not prevent a payment ${late} ms later from being shown`, async () => {
      const { session, clock, backend } = createTestSession(makeCheckout('pending', { expires_in_ms: 10_000 }));
      session.start();
      await clock.advance(10_000 + late);
      backend.set(makeCheckout('paid'));
      await clock.advance(2500);
      assert.equal(session.getState().status, 'paid');
    });

  it('is replaced when the server extends it', async () => {
    const { session, clock, backend } = createTestSession(makeCheckout('pending', { expires_in_ms: 10_000 }));
    session.start();
    await clock.advance(9500);
    backend.set(makeCheckout('pending', { expires_in_ms: 60_000 }));
    await clock.advance(5000);
    assert.equal(expectStatus(session, 'waiting').verifyingExpiry, false);
  });
});

describe('a long wait', () => {
  it('is marked as slow after two minutes, and not for the next invoice', async () => {
    const { session, clock, backend } = createTestSession(makeCheckout('pending'));
    session.start();
    await settle();
    await clock.advance(119_000);
    assert.equal(expectStatus(session, 'waiting').slow, false);
    await clock.advance(3000);
    assert.equal(expectStatus(session, 'waiting').slow, true);
    backend.set(makeCheckout('pending', { id: 'inv_2' }));
    await settle();
    assert.equal(expectStatus(session, 'waiting').slow, false);
  });

  for (const [name, holds, most] of [
    ['holds answers back', true, 1800],
    ['ignores Prefer', false, 3700],
  ] as const)
    it(`needs at most ${most} requests in 12 hours when the backend ${name}`, async () => {
      const { session, clock, backend, transport, states } = createTestSession(
        makeCheckout('pending', { expires_in_ms: 24 * hour }),
      );
      backend.holds = holds;
      session.start();
      await clock.advance(12 * hour);
      assert.ok(transport.reads.length <= most, String(transport.reads.length));
      assert.ok(transport.reads.length > 1000);
      assert.ok(states.length < 5);
      assert.ok(clock.pending <= 3);
      assert.equal(transport.mostReading, 1);
    });

  it('needs few requests while the payer is choosing, the page is hidden or the checkout has ended', async () => {
    for (const [checkout, visible, most] of [
      [makeOpenCheckout(), true, 241],
      [makeCheckout('pending'), false, 182],
      [makeCheckout('expired'), true, 120],
      [makeCheckout('failed'), false, 120],
      [makeCheckout('paid'), true, 1],
    ] as const) {
      const { session, clock, transport, pageLifecycle } = createTestSession(checkout);
      pageLifecycle.visible = visible;
      session.start();
      await clock.advance(hour);
      assert.ok(transport.reads.length <= most, `${checkout.status} ${transport.reads.length}`);
      session.stop();
    }
  });
});
