import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { beginFirstRead } from '../../src/client/first-read.ts';
import { continueRead } from '../../src/client/read-checkout.ts';
import { CheckoutError, type CheckoutTransport, type ReadAnswer } from '../../src/core.ts';
import { makeOpenCheckout } from '../support/checkout-responses.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';

const checkoutResult: ReadAnswer = { kind: 'checkout', checkout: makeOpenCheckout(), etag: '"1"' };

/** A transport that records its calls. Its reads return what `read` returns. */
function recordingTransport(read: () => Promise<ReadAnswer>): {
  transport: CheckoutTransport;
  calls: string[];
  signals: AbortSignal[];
} {
  const calls: string[] = [];
  const signals: AbortSignal[] = [];
  const transport: CheckoutTransport = {
    read(_, signal) {
      calls.push('read');
      signals.push(signal);
      return read();
    },
    createInvoice() {
      calls.push('create');
      return Promise.reject(new CheckoutError('network', ''));
    },
  };
  return { transport, calls, signals };
}

describe('a read that begins before the session', () => {
  it('is sent at once, and has the time at which its response came', async () => {
    const clock = new FakeClock();
    const sentAt = clock.now();
    const { transport, calls } = recordingTransport(async () => {
      await clock.advance(700);
      return checkoutResult;
    });
    const firstRead = beginFirstRead((signal) => transport.read({}, signal), clock);
    assert.deepEqual([calls, firstRead.response()], [['read'], undefined]);
    await firstRead.answer;
    assert.deepEqual(firstRead.response(), {
      checkout: checkoutResult.checkout,
      etag: '"1"',
      receivedAt: sentAt + 700,
    });
  });

  it('becomes only the first read of the transport that continues it', async () => {
    const { transport, calls } = recordingTransport(() => Promise.resolve(checkoutResult));
    const firstRead = beginFirstRead((signal) => transport.read({}, signal), new FakeClock());
    const continuedTransport = continueRead(firstRead, transport);
    const { signal } = new AbortController();
    assert.equal(await continuedTransport.read({}, signal), checkoutResult);
    assert.deepEqual(calls, ['read']);
    await continuedTransport.read({ etag: '"1"' }, signal);
    assert.deepEqual(calls, ['read', 'read']);
    await assert.rejects(continuedTransport.createInvoice({ key: 'k', payment_method_id: 'm' }, signal));
    assert.deepEqual(calls, ['read', 'read', 'create']);
  });

  it('is aborted with the read that continues it', () => {
    const { transport, signals } = recordingTransport(() => new Promise(() => undefined));
    const firstRead = beginFirstRead((signal) => transport.read({}, signal), new FakeClock());
    const controller = new AbortController();
    void continueRead(firstRead, transport).read({}, controller.signal);
    controller.abort();
    assert.equal(signals[0]?.aborted, true);
  });

  it('fails the read that continues it, and leaves no unhandled rejection where nothing continues it', async () => {
    const { transport } = recordingTransport(() => Promise.reject(new CheckoutError('timeout', '')));
    const firstRead = beginFirstRead((signal) => transport.read({}, signal), new FakeClock());
    await assert.rejects(continueRead(firstRead, transport).read({}, new AbortController().signal), {
      code: 'timeout',
    });
    beginFirstRead((signal) => transport.read({}, signal), new FakeClock());
    await settle(); // An unhandled rejection now fails this test.
  });
});
