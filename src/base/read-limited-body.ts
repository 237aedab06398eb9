import { rejectOnAbort, withTimeout, type Clock } from './clock.ts';
import { maxRequestBytes } from './text-limits.ts';

type BodyErrorReason = 'too_large' | 'cut_short' | 'not_utf8';

/** A body could not be read: it is longer than allowed, the connection was lost, or its bytes are not UTF-8. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
  readonly reason: BodyErrorReason;

  constructor(reason: BodyErrorReason) {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Reads a body of at most `maxBytes` as text. A body that proves longer is canceled immediately, and any body is canceled when
 * the signal aborts. Bytes that are not UTF-8 are replaced; if `isStrict`, they are an error.
 * @throws BodyError, or an AbortError when the signal aborts.
 */
export async function readBody(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
  isStrict = false,
): Promise<string> {
  if (response.body === null) return '';
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  try {
    if (Number(response.headers.get('content-length') ?? 0) > maxBytes) throw new BodyError('too_large');
    return await readAll(reader, maxBytes, signal, new TextDecoder('utf-8', { fatal: isStrict }));
  } catch (error) {
    reader.cancel().catch(() => undefined); // the stream is no longer used
    if (signal.aborted || error instanceof BodyError) throw error;
    throw new BodyError('cut_short');
  }
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
  signal: AbortSignal,
  decoder: TextDecoder,
): Promise<string> {
  let text = '';
  let size = 0;
  for (;;) {
    const { done, value } = await rejectOnAbort(reader.read(), signal);
    if (done) return text + decode(decoder);
    size += value.byteLength;
    if (size > maxBytes) throw new BodyError('too_large');
    text += decode(decoder, value);
  }
}

/** Decodes the next bytes of a body. Call it without `bytes` at the end of the body. */
function decode(decoder: TextDecoder, bytes?: Uint8Array): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined });
  } catch {
    throw new BodyError('not_utf8'); // The decoder throws for no other reason.
  }
}

/** The body of a request cannot be used. `status` is that of the answer, and the message says why. */
export class RequestBodyError extends Error {
  override readonly name = 'RequestBodyError';
  readonly status: 400 | 408 | 413 | 415 | 500;

  constructor(status: RequestBodyError['status'], message: string) {
    super(message);
    this.status = status;
  }
}

const requestTimeoutMs = 10_000;

/** Reads the body of a request as JSON. @throws RequestBodyError */
export async function readJsonBody(request: Request, clock: Clock): Promise<unknown> {
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers.get('content-type')?.trim() ?? ''))
    throw new RequestBodyError(415, 'content-type: must be application/json');
  const text = await readRequestBody(request, clock);
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestBodyError(400, 'body: must be JSON');
  }
}

/** Reads the body of a request: UTF-8 of at most 16 KiB, within 10 s. @throws RequestBodyError */
export async function readRequestBody(request: Request, clock: Clock): Promise<string> {
  if (request.bodyUsed)
    throw new RequestBodyError(
      500,
      'the body was read before the request was passed on: mount handle() before body parsers',
    );
  const { body, headers } = request;
  try {
    return await withTimeout(clock, requestTimeoutMs, (signal) =>
      readBody(new Response(body, { headers }), maxRequestBytes, signal, true),
    );
  } catch (error) {
    const reason = error instanceof BodyError ? error.reason : 'timeout';
    if (reason === 'too_large') throw new RequestBodyError(413, 'body: is too large');
    if (reason === 'timeout') throw new RequestBodyError(408, 'body: took too long');
    throw new RequestBodyError(400, reason === 'not_utf8' ? 'body: must be UTF-8' : 'body: was cut short');
  }
}
