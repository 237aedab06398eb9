import { maxWaitSeconds } from '../../protocol.ts';
import { sharedStep, checkoutIn, type Check, type Group, type CheckContext } from '../check.ts';
import { expect, NotRun } from '../violation.ts';
import { durationMs, type Exchange } from '../backend-client.ts';

const tagForm = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/** The ETag of the first read of the group. */
const tagged = sharedStep('the ETag', async ({ backend, checkout }) => {
  const exchange = await backend.read(checkout);
  checkoutIn(exchange, 200);
  const tag = exchange.headers.get('etag') ?? '';
  expect(tagForm.test(tag), 'an ETag such as "abc" or W/"abc"', tag === '' ? 'none' : tag);
  return tag;
});

const opaque = (tag: string): string => tag.replace(/^W\//, '');

function expectUnchanged(exchange: Exchange): void {
  expect(exchange.status === 304, 'HTTP 304', exchange);
  expect(exchange.text === '', 'no body', `${exchange.text.length} characters`);
}

const clause = 'GET: If-None-Match';

const present: Check = {
  id: 'etag.present',
  clause,
  rule: 'sends an ETag with the checkout',
  fix: 'Send an ETag: a digest of what the payer sees, in quotes.',
  async run(context) {
    await tagged(context);
  },
};

const unchanged: Check = {
  id: 'etag.unchanged',
  clause,
  rule: 'answers 304 with no body, and the same ETag, when nothing has changed',
  fix: 'Compare If-None-Match with the ETag of the present state before writing a body.',
  async run(context) {
    const tag = await tagged(context);
    const exchange = await context.backend.read(context.checkout, { 'if-none-match': tag });
    expectUnchanged(exchange);
    const again = exchange.headers.get('etag') ?? '';
    expect(opaque(again) === opaque(tag), `ETag: ${tag}`, again || 'none');
  },
};

const clock: Check = {
  id: 'etag.clock',
  clause: 'GET: the ETag covers what the payer sees, not the clock fields',
  rule: 'keeps the ETag while only server_time changes',
  fix: 'Leave server_time and expires_in_ms out of the digest.',
  async run(context) {
    const tag = await tagged(context);
    await context.ports.sleep(context.timeouts.tickMs);
    const now = (await context.backend.read(context.checkout)).headers.get('etag') ?? '';
    expect(opaque(now) === opaque(tag), `ETag: ${tag}, as before`, now || 'none');
  },
};

const list: Check = {
  id: 'etag.list',
  clause,
  rule: 'finds its ETag in a list of ETags',
  fix: 'Read If-None-Match as a list; a tag may contain a comma (RFC 9110, 13.1.2).',
  async run(context) {
    const tag = await tagged(context);
    for (const value of [`"other", ${tag}`, `"a, b" , W/"c",${tag}, "d"`])
      expectUnchanged(await context.backend.read(context.checkout, { 'if-none-match': value }));
  },
};

const weak: Check = {
  id: 'etag.weak',
  clause,
  rule: 'compares ETags weakly: W/"x" equals "x"',
  fix: 'Take W/ off both sides before comparing: proxies that compress make ETags weak.',
  async run(context) {
    const tag = opaque(await tagged(context));
    for (const value of [tag, `W/${tag}`])
      expectUnchanged(await context.backend.read(context.checkout, { 'if-none-match': value }));
  },
};

const other: Check = {
  id: 'etag.other',
  clause,
  rule: 'answers 200 to an ETag that is not its own',
  fix: 'Compare whole tags, not parts of the header.',
  async run(context) {
    const inner = opaque(await tagged(context)).slice(1, -1);
    for (const value of ['"other"', `"${inner}x"`, `"x${inner}"`, inner.slice(0, 1) === '' ? '"' : `"${inner}`])
      checkoutIn(await context.backend.read(context.checkout, { 'if-none-match': value }), 200);
  },
};

/** The longest time in milliseconds for an answer that may be held for `seconds`. */
const limit = ({ timeouts }: CheckContext, seconds: number): number => seconds * 1000 + timeouts.slackMs;

const bounded: Check = {
  id: 'wait.bounded',
  clause: 'GET: Prefer: wait',
  rule: 'holds an answer no longer than the requested wait, and then answers 304',
  fix: 'End the wait after the seconds of Prefer: wait and answer 304; or ignore the header and answer at once.',
  async run(context) {
    const tag = await tagged(context);
    const { waitSeconds } = context.timeouts;
    const exchange = await context.backend.read(context.checkout, {
      'if-none-match': tag,
      prefer: `wait=${waitSeconds}`,
    });
    const took = durationMs(exchange);
    expect(
      took <= limit(context, waitSeconds),
      `an answer within ${waitSeconds} s`,
      `one after ${Math.round(took)} ms`,
    );
    expectUnchanged(exchange);
  },
};

const untagged: Check = {
  id: 'wait.untagged',
  clause: 'GET: Prefer: wait together with If-None-Match',
  rule: 'answers at once when the request has no ETag',
  fix: 'Wait only when If-None-Match names the present ETag.',
  async run(context) {
    for (const headers of [{ prefer: 'wait=20' }, { prefer: 'wait=20', 'if-none-match': '"other"' }]) {
      const exchange = await context.backend.read(context.checkout, headers);
      checkoutIn(exchange, 200);
      expect(
        durationMs(exchange) <= limit(context, 0),
        'an answer at once',
        `one after ${Math.round(durationMs(exchange))} ms`,
      );
    }
  },
};

const malformed: Check = {
  id: 'wait.malformed',
  clause: 'GET: Prefer: wait, clamped to 0-30 s',
  rule: 'ignores a malformed Prefer header',
  fix: 'Treat a Prefer header that does not parse as absent (RFC 7240, 2).',
  async run(context) {
    const tag = await tagged(context);
    for (const prefer of ['wait=0', 'wait=soon', 'wait=-1', 'wait', 'respond-async, handling=lenient']) {
      const exchange = await context.backend.read(context.checkout, { 'if-none-match': tag, prefer });
      expect(exchange.status === 304, `HTTP 304 to Prefer: ${prefer}`, exchange);
      const took = durationMs(exchange);
      expect(took <= limit(context, 0), `an answer at once to Prefer: ${prefer}`, `one after ${Math.round(took)} ms`);
    }
  },
};

const clamped: Check = {
  id: 'wait.clamped',
  clause: 'GET: Prefer: wait, clamped to 0-30 s',
  rule: `holds an answer for at most ${maxWaitSeconds} s`,
  fix: `Clamp the wait to ${maxWaitSeconds} s: proxies end longer ones with an error.`,
  async run(context) {
    if (!context.includeSlow) throw new NotRun(`it takes ${maxWaitSeconds} s: give --slow`);
    const tag = await tagged(context);
    const exchange = await context.backend.read(context.checkout, { 'if-none-match': tag, prefer: 'wait=50' });
    const took = durationMs(exchange);
    expect(
      took <= limit(context, maxWaitSeconds),
      `an answer within ${maxWaitSeconds} s`,
      `after ${Math.round(took)} ms`,
    );
    expectUnchanged(exchange);
  },
};

export const conditionalRequests: Group = {
  title: 'Conditional requests: ETag and Prefer',
  checkout: 'first',
  checks: [present, unchanged, clock, list, weak, other, bounded, untagged, malformed, clamped],
};
