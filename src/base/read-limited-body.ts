import { rejectOnAbort } from './clock.ts';

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
