import type { z } from 'zod';
import { withTimeout } from '../../base/clock.ts';
import { issueText } from '../../base/zod-issue-text.ts';
import { BodyError, readBody } from '../../base/read-limited-body.ts';
import type { ServerContext } from '../server-context.ts';
import { ProblemError } from './responses.ts';

/**
 * Reads the body of a request as JSON and validates it by a schema.
 * @throws ProblemError 415, 413, 408 or 400, with the field in `detail`.
 */
export async function readJson<T extends z.ZodType>(
  context: ServerContext,
  request: Request,
  schema: T,
): Promise<z.output<T>> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(?:;|$)/i.test(type.trim()))
    throw new ProblemError('invalid_request', { status: 415, detail: 'content-type: must be application/json' });
  const result = schema.safeParse(parseJson(await readText(context, request)));
  if (result.success) return result.data;
  throw invalidRequest(issueText(result.error.issues[0], 'body'));
}

function invalidRequest(detail: string): ProblemError {
  return new ProblemError('invalid_request', { detail });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidRequest('body: must be JSON');
  }
}

async function readText({ clock, timing, limits }: ServerContext, request: Request): Promise<string> {
  if (request.bodyUsed) throw new BodyUsedError();
  const tooLarge = new ProblemError('invalid_request', { status: 413, detail: 'body: is too large' });
  if (Number(request.headers.get('content-length') ?? 0) > limits.bodyBytes) throw tooLarge;
  try {
    return await withTimeout(clock, timing.bodyMs, (signal) =>
      readBody(new Response(request.body), limits.bodyBytes, signal, true),
    );
  } catch (error) {
    if (error instanceof BodyError && error.reason === 'too_large') throw tooLarge;
    if (error instanceof BodyError)
      throw invalidRequest(error.reason === 'not_utf8' ? 'body: must be UTF-8' : 'body: was cut short');
    throw new ProblemError('invalid_request', { status: 408, detail: 'body: took too long' });
  }
}

/** Thrown when something read the body of the request before it was passed to `handle`, such as a middleware. */
export class BodyUsedError extends Error {
  override readonly name = 'BodyUsedError';

  constructor() {
    super(
      'the body of the request was read before the request was passed to handle(): mount handle() before body parsers',
    );
  }
}

/** Reads and discards a body, within the limits for JSON bodies. */
export async function discardBody(context: ServerContext, request: Request): Promise<void> {
  await readText(context, request).catch(() => undefined); // the content is not used
}
