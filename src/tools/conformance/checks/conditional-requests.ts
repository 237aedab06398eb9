import { maxWaitSeconds } from '../../../checkout-api.ts';
import { durationMs, type Exchange } from '../backend-client.ts';
import { check, sharedStep, waits, type CheckContext, type CheckGroup } from '../check.ts';
import { expect, expectCheckout, NotRun } from '../expect.ts';

const etagPattern = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/** Reads the checkout once per group and returns its ETag. */
const readETag = sharedStep('the ETag', async (context) => {
  const exchange = await context.read();
  expectCheckout(exchange, 200);
  const tag = exchange.headers.get('etag') ?? '';
  expect(etagPattern.test(tag), 'an ETag such as "abc" or W/"abc"', tag === '' ? 'none' : tag);
  return tag;
});

const opaqueTag = (tag: string): string => tag.replace(/^W\//, '');

/** Throws a `Violation` unless the response has this ETag, weak or strong. */
function expectTag({ headers }: Exchange, tag: string): void {
  const actualTag = headers.get('etag') ?? '';
  expect(opaqueTag(actualTag) === opaqueTag(tag), `ETag: ${tag}, as before`, actualTag || 'none');
}

function expectNotModified(exchange: Exchange): void {
  expect(exchange.status === 304, 'HTTP 304', exchange);
  expect(exchange.text === '', 'no body', `${exchange.text.length} characters`);
}

/** Throws a `Violation` unless each of these values of If-None-Match is answered with 304. */
async function expectMatches(context: CheckContext, values: readonly string[]): Promise<void> {
  for (const value of values) expectNotModified(await context.read({ 'if-none-match': value }));
}

/** Throws a `Violation` when a response that may be held for `seconds` took longer. */
function expectDuration(exchange: Exchange, seconds: number, to = ''): void {
  const isInTime = durationMs(exchange) <= seconds * 1000 + waits.slackMs;
  const expected = seconds === 0 ? `an immediate response${to}` : `a response within ${seconds} s`;
  expect(isInTime, expected, `a response after ${Math.round(durationMs(exchange))} ms`);
}

/** How long `wait.bounded` asks the backend to hold a response. */
const waitSeconds = 2;

export const conditionalRequestChecks: CheckGroup = {
  title: 'Conditional requests: ETag and Prefer',
  checkoutKind: 'first',
  checks: [
    check(
      'etag.present',
      'sends an ETag with the checkout',
      'Send an ETag: a digest of what the payer sees, in quotes.',
      readETag,
    ),
    check(
      'etag.unchanged',
      'answers 304 with no body, and the same ETag, when nothing has changed',
      'Compare If-None-Match with the ETag of the current state before writing a body.',
      async (context) => {
        const tag = await readETag(context);
        const exchange = await context.read({ 'if-none-match': tag });
        expectNotModified(exchange);
        expectTag(exchange, tag);
      },
    ),
    check(
      'etag.clock',
      'keeps the ETag while only server_time changes',
      'Leave server_time and expires_in_ms out of the digest.',
      async (context) => {
        const tag = await readETag(context);
        await context.sleep(waits.tickMs);
        expectTag(await context.read(), tag);
      },
    ),
    check(
      'etag.list',
      'answers 304 when If-None-Match is a list that contains its ETag',
      'Read If-None-Match as a list; a tag may contain a comma (RFC 9110, 13.1.2).',
      async (context) => {
        const tag = await readETag(context);
        await expectMatches(context, [`"other", ${tag}`, `"a, b" , W/"c",${tag}, "d"`]);
      },
    ),
    check(
      'etag.weak',
      'compares ETags weakly: W/"x" equals "x"',
      'Take W/ off both sides before comparing: proxies that compress make ETags weak.',
      async (context) => {
        const tag = opaqueTag(await readETag(context));
        await expectMatches(context, [tag, `W/${tag}`]);
      },
    ),
    check(
      'etag.other',
      'answers 200 to an ETag that is not its own',
      'Compare whole ETags, not parts of the header.',
      async (context) => {
        const text = opaqueTag(await readETag(context)).slice(1, -1);
        for (const value of ['"other"', `"${text}x"`, `"x${text}"`, text === '' ? '"' : `"${text}`])
          expectCheckout(await context.read({ 'if-none-match': value }), 200);
      },
    ),
    check(
      'wait.bounded',
      'holds a response no longer than the requested wait, and then answers 304',
      'End the wait after the seconds of Prefer: wait and answer 304; or ignore the header and answer immediately.',
      async (context) => {
        const tag = await readETag(context);
        const exchange = await context.read({ 'if-none-match': tag, prefer: `wait=${waitSeconds}` });
        expectDuration(exchange, waitSeconds);
        expectNotModified(exchange);
      },
    ),
    check(
      'wait.untagged',
      'answers immediately when the request has no ETag, or another ETag',
      'Hold the response only when If-None-Match contains the current ETag.',
      async (context) => {
        for (const headers of [{ prefer: 'wait=20' }, { prefer: 'wait=20', 'if-none-match': '"other"' }]) {
          const exchange = await context.read(headers);
          expectCheckout(exchange, 200);
          expectDuration(exchange, 0);
        }
      },
    ),
    check(
      'wait.malformed',
      'ignores a malformed Prefer header',
      'Treat a Prefer header that does not parse as absent (RFC 7240, 2).',
      async (context) => {
        const tag = await readETag(context);
        for (const prefer of ['wait=0', 'wait=soon', 'wait=-1', 'wait', 'respond-async, handling=lenient']) {
          const exchange = await context.read({ 'if-none-match': tag, prefer });
          expect(exchange.status === 304, `HTTP 304 to Prefer: ${prefer}`, exchange);
          expectDuration(exchange, 0, ` to Prefer: ${prefer}`);
        }
      },
    ),
    check(
      'wait.clamped',
      `holds a response for at most ${maxWaitSeconds} s`,
      `Clamp the wait to ${maxWaitSeconds} s: proxies end longer requests with an error.`,
      async (context) => {
        if (!context.run.includeSlow) throw new NotRun(`it takes ${maxWaitSeconds} s: give --slow`);
        const exchange = await context.read({ 'if-none-match': await readETag(context), prefer: 'wait=50' });
        expectDuration(exchange, maxWaitSeconds);
        expectNotModified(exchange);
      },
    ),
  ],
};
