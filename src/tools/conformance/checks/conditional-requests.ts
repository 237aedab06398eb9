import { maxWaitSeconds } from '../../../checkout-api.ts';
import { sharedStep, expectCheckout, type Check, type CheckGroup, type CheckContext } from '../check.ts';
import { expect, NotRun } from '../expect.ts';
import { durationMs, type Exchange } from '../backend-client.ts';

const etagPattern = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/** Reads the checkout once per group and returns its ETag. */
const readETag = sharedStep('the ETag', async ({ backend, capability }) => {
  const exchange = await backend.read(capability);
  expectCheckout(exchange, 200);
  const tag = exchange.headers.get('etag') ?? '';
  expect(etagPattern.test(tag), 'an ETag such as "abc" or W/"abc"', tag === '' ? 'none' : tag);
  return tag;
});

const opaqueTag = (tag: string): string => tag.replace(/^W\//, '');

function expectNotModified(exchange: Exchange): void {
  expect(exchange.status === 304, 'HTTP 304', exchange);
  expect(exchange.text === '', 'no body', `${exchange.text.length} characters`);
}

const clause = 'GET: If-None-Match';

const etagPresentCheck: Check = {
  id: 'etag.present',
  clause,
  rule: 'sends an ETag with the checkout',
  fix: 'Send an ETag: a digest of what the payer sees, in quotes.',
  async run(context) {
    await readETag(context);
  },
};

const notModifiedCheck: Check = {
  id: 'etag.unchanged',
  clause,
  rule: 'answers 304 with no body, and the same ETag, when nothing has changed',
  fix: 'Compare If-None-Match with the ETag of the current state before writing a body.',
  async run(context) {
    const tag = await readETag(context);
    const exchange = await context.backend.read(context.capability, { 'if-none-match': tag });
    expectNotModified(exchange);
    const repeatedTag = exchange.headers.get('etag') ?? '';
    expect(opaqueTag(repeatedTag) === opaqueTag(tag), `ETag: ${tag}`, repeatedTag || 'none');
  },
};

const clockFieldsCheck: Check = {
  id: 'etag.clock',
  clause: 'GET: the ETag covers what the payer sees, not the clock fields',
  rule: 'keeps the ETag while only server_time changes',
  fix: 'Leave server_time and expires_in_ms out of the digest.',
  async run(context) {
    const tag = await readETag(context);
    await context.ports.sleep(context.timeouts.tickMs);
    const laterTag = (await context.backend.read(context.capability)).headers.get('etag') ?? '';
    expect(opaqueTag(laterTag) === opaqueTag(tag), `ETag: ${tag}, as before`, laterTag || 'none');
  },
};

const etagListCheck: Check = {
  id: 'etag.list',
  clause,
  rule: 'answers 304 when If-None-Match is a list that contains its ETag',
  fix: 'Read If-None-Match as a list; a tag may contain a comma (RFC 9110, 13.1.2).',
  async run(context) {
    const tag = await readETag(context);
    for (const value of [`"other", ${tag}`, `"a, b" , W/"c",${tag}, "d"`])
      expectNotModified(await context.backend.read(context.capability, { 'if-none-match': value }));
  },
};

const weakComparisonCheck: Check = {
  id: 'etag.weak',
  clause,
  rule: 'compares ETags weakly: W/"x" equals "x"',
  fix: 'Take W/ off both sides before comparing: proxies that compress make ETags weak.',
  async run(context) {
    const tag = opaqueTag(await readETag(context));
    for (const value of [tag, `W/${tag}`])
      expectNotModified(await context.backend.read(context.capability, { 'if-none-match': value }));
  },
};

const otherETagCheck: Check = {
  id: 'etag.other',
  clause,
  rule: 'answers 200 to an ETag that is not its own',
  fix: 'Compare whole ETags, not parts of the header.',
  async run(context) {
    const opaqueText = opaqueTag(await readETag(context)).slice(1, -1);
    for (const value of [
      '"other"',
      `"${opaqueText}x"`,
      `"x${opaqueText}"`,
      opaqueText.slice(0, 1) === '' ? '"' : `"${opaqueText}`,
    ])
      expectCheckout(await context.backend.read(context.capability, { 'if-none-match': value }), 200);
  },
};

/** The longest time in milliseconds for a response that may be held for `seconds`. */
const maxDurationMs = ({ timeouts }: CheckContext, seconds: number): number => seconds * 1000 + timeouts.slackMs;

const boundedWaitCheck: Check = {
  id: 'wait.bounded',
  clause: 'GET: Prefer: wait',
  rule: 'holds a response no longer than the requested wait, and then answers 304',
  fix: 'End the wait after the seconds of Prefer: wait and answer 304; or ignore the header and answer immediately.',
  async run(context) {
    const tag = await readETag(context);
    const { waitSeconds } = context.timeouts;
    const exchange = await context.backend.read(context.capability, {
      'if-none-match': tag,
      prefer: `wait=${waitSeconds}`,
    });
    const durationInMs = durationMs(exchange);
    expect(
      durationInMs <= maxDurationMs(context, waitSeconds),
      `a response within ${waitSeconds} s`,
      `a response after ${Math.round(durationInMs)} ms`,
    );
    expectNotModified(exchange);
  },
};

const waitWithoutETagCheck: Check = {
  id: 'wait.untagged',
  clause: 'GET: Prefer: wait together with If-None-Match',
  rule: 'answers immediately when the request has no ETag, or another ETag',
  fix: 'Hold the response only when If-None-Match contains the current ETag.',
  async run(context) {
    for (const headers of [{ prefer: 'wait=20' }, { prefer: 'wait=20', 'if-none-match': '"other"' }]) {
      const exchange = await context.backend.read(context.capability, headers);
      expectCheckout(exchange, 200);
      expect(
        durationMs(exchange) <= maxDurationMs(context, 0),
        'an immediate response',
        `a response after ${Math.round(durationMs(exchange))} ms`,
      );
    }
  },
};

const malformedPreferCheck: Check = {
  id: 'wait.malformed',
  clause: 'GET: Prefer: wait, clamped to 0-30 s',
  rule: 'ignores a malformed Prefer header',
  fix: 'Treat a Prefer header that does not parse as absent (RFC 7240, 2).',
  async run(context) {
    const tag = await readETag(context);
    for (const prefer of ['wait=0', 'wait=soon', 'wait=-1', 'wait', 'respond-async, handling=lenient']) {
      const exchange = await context.backend.read(context.capability, { 'if-none-match': tag, prefer });
      expect(exchange.status === 304, `HTTP 304 to Prefer: ${prefer}`, exchange);
      const durationInMs = durationMs(exchange);
      expect(
        durationInMs <= maxDurationMs(context, 0),
        `a response at once to Prefer: ${prefer}`,
        `a response after ${Math.round(durationInMs)} ms`,
      );
    }
  },
};

const clampedWaitCheck: Check = {
  id: 'wait.clamped',
  clause: 'GET: Prefer: wait, clamped to 0-30 s',
  rule: `holds a response for at most ${maxWaitSeconds} s`,
  fix: `Clamp the wait to ${maxWaitSeconds} s: proxies end longer requests with an error.`,
  async run(context) {
    if (!context.includeSlow) throw new NotRun(`it takes ${maxWaitSeconds} s: give --slow`);
    const tag = await readETag(context);
    const exchange = await context.backend.read(context.capability, { 'if-none-match': tag, prefer: 'wait=50' });
    const durationInMs = durationMs(exchange);
    expect(
      durationInMs <= maxDurationMs(context, maxWaitSeconds),
      `a response within ${maxWaitSeconds} s`,
      `after ${Math.round(durationInMs)} ms`,
    );
    expectNotModified(exchange);
  },
};

export const conditionalRequestChecks: CheckGroup = {
  title: 'Conditional requests: ETag and Prefer',
  checkoutKind: 'first',
  checks: [
    etagPresentCheck,
    notModifiedCheck,
    clockFieldsCheck,
    etagListCheck,
    weakComparisonCheck,
    otherETagCheck,
    boundedWaitCheck,
    waitWithoutETagCheck,
    malformedPreferCheck,
    clampedWaitCheck,
  ],
};
