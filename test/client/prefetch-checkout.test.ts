import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { beginFirstRead, continueRead } from '../../src/client/prefetch-checkout.ts';
import { CheckoutError, type CheckoutTransport, type ReadAnswer } from '../../src/core.ts';
import { makeOpenCheckout } from '../support/checkout-responses.ts';
import { FakeClock } from '../support/fake-clock.ts';

const answer: ReadAnswer = { kind: 'checkout', checkout: makeOpenCheckout(), etag: '"1"' };

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
    const before = clock.now();
    const { transport, calls } = recordingTransport(async () => {
      await clock.advance(700);
      return answer;
    });
    const first = beginFirstRead((...request) => transport.read(...request), clock);
    assert.deepEqual([calls, first.response()], [['read'], undefined]);
    await first.answer;
    assert.deepEqual(first.response(), { checkout: answer.checkout, etag: '"1"', receivedAt: before + 700 });
  });

  it('becomes the first read of the transport that continues it, and no later one', async () => {
    const { transport, calls } = recordingTransport(() => Promise.resolve(answer));
    const first = beginFirstRead((...request) => transport.read(...request), new FakeClock());
    const continued = continueRead(first, transport);
    const { signal } = new AbortController();
    assert.equal(await continued.read({}, signal), answer);
    assert.deepEqual(calls, ['read']);
    await continued.read({ etag: '"1"' }, signal);
    assert.deepEqual(calls, ['read', 'read']);
    await assert.rejects(continued.createInvoice({ key: 'k', payment_method_id: 'm' }, signal));
    assert.deepEqual(calls, ['read', 'read', 'create']);
  });

  it('is aborted with the read that continues it', () => {
    const { transport, signals } = recordingTransport(() => new Promise(() => undefined));
    const first = beginFirstRead((...request) => transport.read(...request), new FakeClock());
    const controller = new AbortController();
    void continueRead(first, transport).read({}, controller.signal);
    controller.abort();
    assert.equal(signals[0]?.aborted, true);
  });

  it('fails the read that continues it, and leaves no unhandled rejection where nothing continues it', async () => {
    const { transport } = recordingTransport(() => Promise.reject(new CheckoutError('timeout', '')));
    const first = beginFirstRead((...request) => transport.read(...request), new FakeClock());
    await assert.rejects(continueRead(first, transport).read({}, new AbortController().signal), { code: 'timeout' });
    beginFirstRead((...request) => transport.read(...request), new FakeClock());
  });
});
