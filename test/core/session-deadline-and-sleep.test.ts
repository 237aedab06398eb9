import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CheckoutError, type CreateAnswer, type ReadAnswer } from '../../src/core.ts';
import { makeCheckout, makeOpenCheckout } from '../support/checkout-responses.ts';
import { assertSameTime, settle } from '../support/fake-clock.ts';
import { Deferred } from '../support/fake-transport.ts';
import { createTestSession, startTestSession, expectStatus } from '../support/test-session.ts';

const minute = 60_000;
const hour = 60 * minute;
const tenYears = 10 * 365 * 24 * hour;

describe('the deadline of an invoice', () => {
  it('is on the monotonic clock, at the remaining time after the response', async () => {
    const { session, clock } = await startTestSession(makeCheckout('pending', { expires_in_ms: 90_000 }));
    const { at = NaN, span, certain } = expectStatus(session, 'waiting').deadline ?? {};
    assertSameTime(at, clock.now() + 90_000);
    assert.deepEqual({ span, certain }, { span: 90_000, certain: true });
  });

  it('is undefined when the service gave none', async () => {
    const { session, clock } = createTestSession(makeCheckout('pending', { expires_in_ms: undefined }));
    session.start();
    await clock.advance(hour);
    const state = expectStatus(session, 'waiting');
    assert.equal(state.deadline, undefined);
    assert.equal(state.verifyingExpiry, false);
  });

  for (const [difference, isMoved] of [
    [-1002, true],
    [-998, false],
    [998, false],
    [1002, true],
  ] as const)
    it(`${isMoved ? 'moves' : 'does not move'} with a response whose deadline differs by ${difference} ms`, async () => {
      const { session, clock, backend } = await startTestSession(makeCheckout('pending', { expires_in_ms: 90_000 }));
      const deadlineBefore = expectStatus(session, 'waiting').deadline?.at ?? NaN;
      await clock.advance(10_000);
      backend.set(makeCheckout('pending', { expires_in_ms: 80_000 + difference }));
      await settle();
      assertSameTime(expectStatus(session, 'waiting').deadline?.at ?? NaN, deadlineBefore + (isMoved ? difference : 0));
    });

  it('becomes later only with another expires_at: a server whose clock is behind does not extend it', async () => {
    const invoice = (expires_at: string, expires_in_ms: number) =>
      makeCheckout('pending', { expires_at, expires_in_ms });
    const { session, clock, backend } = await startTestSession(invoice('2026-11-20T10:15:00Z', 90_000));
    const deadline = expectStatus(session, 'waiting').deadline?.at ?? NaN;
    for (const [expiresAt, remainingMs, isMoved] of [
      ['2026-11-20T10:15:00Z', 3_680_000, false],
      ['2026-11-20T10:16:00Z', 130_000, true],
    ] as const) {
      await clock.advance(10_000);
      backend.set(invoice(expiresAt, remainingMs));
      await settle();
      assertSameTime(expectStatus(session, 'waiting').deadline?.at ?? NaN, deadline + (isMoved ? 60_000 : 0));
    }
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
    it(`does not depend on the wall clock, which shows the year ${new Date(wall).getUTCFullYear()}`, async () => {
      const { session, clock } = createTestSession(makeCheckout('pending', { expires_in_ms: 90_000 }));
      clock.sleep(wall - clock.wall());
      session.start();
      await clock.advance(30_000);
      const { deadline } = expectStatus(session, 'waiting');
      assertSameTime((deadline?.at ?? NaN) - clock.now(), 60_000);
      assert.equal(deadline?.certain, true);
    });
});

describe('a sleep of the device', () => {
  for (const [driftMs, isDetected] of [
    [2000, false],
    [-2000, false],
    [2001, true],
    [-2001, true],
    [tenYears, true],
    [-tenYears, true],
  ] as const)
    it(`${isDetected ? 'is' : 'is not'} detected when the wall clock and the monotonic clock drift apart by ${driftMs} ms`, async () => {
      const { session, clock, transport } = await startTestSession(makeCheckout('pending'));
      const certainties: (boolean | undefined)[] = [];
      session.subscribe((state) => certainties.push(state.status === 'waiting' ? state.deadline?.certain : undefined));
      clock.sleep(driftMs);
      await clock.advance(5000);
      assert.deepEqual(certainties, isDetected ? [false, true] : []);
      const lastRequest = transport.reads.at(-1)?.request;
      if (isDetected) assert.deepEqual([lastRequest?.etag, lastRequest?.waitSeconds], [undefined, undefined]);
      assert.equal(transport.mostReading, 1);
    });

  it('leaves the deadline uncertain until a response arrives, even if reads fail before it', async () => {
    const { session, clock, transport, backend } = await startTestSession(makeCheckout('pending'));
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

  it("leaves the deadline uncertain while the server's clock is behind and makes it much later", async () => {
    const { session, clock, transport, backend } = await startTestSession(
      makeCheckout('pending', { expires_at: '2026-11-20T10:15:00Z' }),
    );
    transport.onRead = () => {
      const checkout = backend.snapshot();
      const invoice = checkout.invoice && { ...checkout.invoice, expires_in_ms: 3 * hour };
      return { kind: 'checkout', checkout: { ...checkout, invoice }, etag: '"behind"' };
    };
    clock.sleep(60_000);
    session.checkSleep();
    await clock.advance(5000);
    assert.equal(expectStatus(session, 'waiting').deadline?.certain, false);
    transport.onRead = backend.read;
    await clock.advance(5000);
    assert.equal(expectStatus(session, 'waiting').deadline?.certain, true);
  });

  for (const kind of ['checkout', 'unchanged'] as const)
    it(`during a read leaves the deadline uncertain although the response of this read arrives (kind: ${kind})`, async () => {
      const { session, clock, transport, backend } = await startTestSession(makeCheckout('pending'));
      const slowResponse = new Deferred<ReadAnswer>();
      transport.onRead = () => slowResponse.promise;
      await clock.advance(2000);
      clock.sleep(60_000);
      transport.onRead = backend.read;
      slowResponse.resolve(kind === 'checkout' ? { kind, checkout: backend.snapshot(), etag: '"1"' } : { kind });
      await settle();
      assert.equal(expectStatus(session, 'waiting').deadline?.certain, false);
      await clock.advance(1000);
      assert.equal(expectStatus(session, 'waiting').deadline?.certain, true);
    });

  it('during a create leaves the deadline uncertain until the next response', async () => {
    const { session, clock, transport, backend } = await startTestSession(makeOpenCheckout());
    const slowAnswer = new Deferred<CreateAnswer>();
    transport.onCreate = () => slowAnswer.promise;
    session.select('pm_sbp');
    session.createInvoice();
    await settle();
    clock.sleep(60_000);
    session.checkSleep();
    backend.set(makeCheckout('pending', { expires_in_ms: 840_000 }));
    slowAnswer.resolve({ kind: 'created', checkout: makeCheckout('pending', { expires_in_ms: 900_000 }) });
    await settle();
    assert.equal(expectStatus(session, 'waiting').deadline?.certain, false);
    await clock.advance(3000);
    assert.equal(expectStatus(session, 'waiting').deadline?.certain, true);
  });

  it('makes the deadline uncertain as soon as checkSleep is called', async () => {
    const { session, clock, transport } = await startTestSession(makeCheckout('pending'));
    const readsBefore = transport.reads.length;
    session.checkSleep();
    assert.equal(expectStatus(session, 'waiting').deadline?.certain, true);
    clock.sleep(60_000);
    session.checkSleep();
    assert.equal(expectStatus(session, 'waiting').deadline?.certain, false);
    session.checkSleep();
    await settle();
    assert.equal(expectStatus(session, 'waiting').deadline?.certain, true);
    assert.equal(transport.reads.length, readsBefore + 1);
  });

  it('is detected when a timer of a visible page fires more than 10 s too late', async () => {
    const { clock, transport } = await startTestSession(makeCheckout('pending'));
    clock.stall(16_000);
    await clock.advance(0);
    assert.equal(transport.reads.at(-1)?.request.etag, undefined);
    assert.equal(transport.mostReading, 1);
  });
});

describe('a deadline that has passed', () => {
  it('causes frequent reads, and the state becomes expired only when the server reports it', async () => {
    const { session, clock, backend, transport, eventTypes } = await startTestSession(
      makeCheckout('pending', { expires_in_ms: 10_000 }),
    );
    await clock.advance(9998);
    assert.equal(expectStatus(session, 'waiting').verifyingExpiry, false);
    const deadlineAt = clock.now() + 2;
    const readsBefore = transport.reads.length;
    await clock.advance(4);
    assert.equal(expectStatus(session, 'waiting').verifyingExpiry, true);
    await clock.advance(5000);
    // To the hundredth of a second: each read comes a little later than the one before it plans.
    const readTimes = transport.reads.slice(readsBefore).map(({ at }) => Math.round((at - deadlineAt) / 10) * 10);
    assert.deepEqual(readTimes.slice(0, 4), [0, 1000, 2000, 4000]);
    await clock.advance(hour);
    assert.equal(expectStatus(session, 'waiting').verifyingExpiry, true);
    assert.ok(transport.reads.length < 200 + readsBefore);
    assert.equal(transport.mostReading, 1);
    backend.set(makeCheckout('expired'));
    await settle();
    assert.equal(session.getState().status, 'expired');
    assert.deepEqual(eventTypes(), ['ready', 'status', 'status', 'expired']);
  });

  it('causes frequent reads for a few seconds only, even if every response says that no time is left', async () => {
    const { session, clock, backend, transport } = createTestSession(makeCheckout('pending', { expires_in_ms: 1000 }));
    transport.onRead = () => ({ kind: 'checkout', checkout: backend.snapshot(), etag: undefined });
    session.start();
    await clock.advance(61_000);
    assert.ok(transport.reads.length <= 35, String(transport.reads.length));
  });

  for (const delayMs of [0, 1, 500, 999, 1000, 1500, 2000])
    it(`does not hide a payment that is confirmed ${delayMs} ms after it`, async () => {
      const { session, clock, backend } = createTestSession(makeCheckout('pending', { expires_in_ms: 10_000 }));
      session.start();
      await clock.advance(10_000 + delayMs);
      backend.set(makeCheckout('paid'));
      await clock.advance(2500);
      assert.equal(session.getState().status, 'paid');
    });
});

describe('a long wait for a payment', () => {
  it('is marked as slow after two minutes, and not for the next invoice', async () => {
    const { session, clock, backend } = await startTestSession(makeCheckout('pending'));
    await clock.advance(119_000);
    assert.equal(expectStatus(session, 'waiting').slow, false);
    await clock.advance(7000);
    assert.equal(expectStatus(session, 'waiting').slow, true);
    backend.set(makeCheckout('pending', { id: 'inv_2' }));
    await settle();
    assert.equal(expectStatus(session, 'waiting').slow, false);
  });

  it('needs few reads in an hour while the payer is choosing, the page is hidden or the checkout has ended', async () => {
    for (const [checkout, isVisible, maxReads] of [
      [makeOpenCheckout(), true, 241],
      [makeCheckout('pending'), false, 182],
      [makeCheckout('expired'), true, 120],
      [makeCheckout('failed'), false, 120],
      [makeCheckout('paid'), true, 1],
    ] as const) {
      const { session, clock, transport, pageLifecycle } = createTestSession(checkout);
      pageLifecycle.visible = isVisible;
      session.start();
      await clock.advance(hour);
      assert.ok(transport.reads.length <= maxReads, `${checkout.status} ${transport.reads.length}`);
      session.stop();
    }
  });
});
