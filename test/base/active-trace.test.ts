import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { activeTraceId } from '../../src/base/active-trace.ts';
import { TestCheckoutServer } from '../support/test-checkout-server.ts';

const apiKey = Symbol.for('opentelemetry.js.api.1');
const id = '4bf92f3577b34da6a3ce929d0e0e4736';

/** Sets the global of `@opentelemetry/api`, with a span whose context is `spanContext`. */
function setSpanContext(spanContext: unknown): void {
  const context = {
    getValue: (key: symbol) => key.description?.endsWith('SPAN') && { spanContext: () => spanContext },
  };
  Reflect.set(globalThis, apiKey, { version: '1.9.1', context: { active: () => context } });
}
afterEach(() => Reflect.deleteProperty(globalThis, apiKey));

test('the trace id is that of the active span, if its form is valid', () => {
  for (const [spanContext, expected] of [
    [{ traceId: id }, id],
    [{ traceId: '0'.repeat(32) }, undefined],
    [{ traceId: `${id}\n` }, undefined],
    [{ traceId: 7 }, undefined],
    [undefined, undefined],
  ] as const) {
    setSpanContext(spanContext);
    assert.equal(activeTraceId(), expected);
  }
});

test('without OpenTelemetry, or with a global of another form, there is no trace id', () => {
  assert.equal(activeTraceId(), undefined);
  const throws = (): never => {
    throw new Error('broken');
  };
  for (const value of [null, 1, {}, { context: null }, { context: {} }, { context: { active: throws } }]) {
    Reflect.set(globalThis, apiKey, value);
    assert.equal(activeTraceId(), undefined);
  }
});

test('a response with status 500 and its line in the log have the active trace', async () => {
  const harness = await TestCheckoutServer.open();
  harness.store.load = () => Promise.reject(new RangeError('inner'));
  setSpanContext({ traceId: id });
  const { problem } = await harness.getCheckout();
  const lines = harness.logEntries.filter(({ event }) => event === 'internal');
  assert.deepEqual([problem.code, problem.trace_id], ['internal', id]);
  assert.deepEqual(
    lines.map(({ facts }) => ({ trace_id: '', ...facts }).trace_id),
    [id],
  );
});
