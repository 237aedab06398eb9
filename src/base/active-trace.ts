import { randomId, type Random } from './random.ts';
import { readMember } from './thrown-value.ts';

/**
 * The global of `@opentelemetry/api`, and the key of the active span in a context. Both are the same for all 1.x versions of it,
 * so that its copies in one program share their state. As an optional dependency it would break bundlers where it is missing.
 */
const apiKey = Symbol.for('opentelemetry.js.api.1');
const spanKey = Symbol.for('OpenTelemetry Context Key SPAN');

/** The identifier of the OpenTelemetry trace that is active, 32 hexadecimal digits; undefined without one. Never throws. */
export function activeTraceId(): string | undefined {
  const context = callMember(readMember(readMember(globalThis, apiKey), 'context'), 'active');
  const spanContext = callMember(callMember(context, 'getValue', spanKey), 'spanContext');
  const id = readMember(spanContext, 'traceId');
  // Without a sampler or a parent, a span has the invalid identifier, which is all zeros.
  return typeof id === 'string' && /^(?!0+$)[\da-f]{32}$/.test(id) ? id : undefined;
}

/** The `trace_id` of a response with status 500 and of its line in the log: the active trace's, or a new one. */
export function traceIdOfFailure(random: Random): string {
  return activeTraceId() ?? randomId(random);
}

function callMember(value: unknown, name: string, ...args: readonly unknown[]): unknown {
  const member = readMember(value, name);
  if (typeof member !== 'function') return undefined;
  try {
    return Reflect.apply(member, value, args);
  } catch {
    return undefined; // an implementation of others must not break the log
  }
}
