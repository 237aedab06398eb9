import { untilAborted } from './clock.ts';

/** A body could not be read completely: it is longer than allowed, or the connection was lost. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
  readonly reason: 'too_large' | 'cut_short';

  constructor(reason: 'too_large' | 'cut_short') {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Reads a body of at most `maxBytes` as text. A longer body is cancelled as soon as that is detected; an abort of the
 * signal cancels it too.
 * @throws BodyError, or an AbortError.
 */
export async function readBody(response: Response, maxBytes: number, signal: AbortSignal): Promise<string> {
  if (response.body === null) return '';
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  try {
    if (Number(response.headers.get('content-length') ?? 0) > maxBytes) throw new BodyError('too_large');
    return await readAll(reader, maxBytes, signal);
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
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for (;;) {
    const { done, value } = await untilAborted(reader.read(), signal);
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > maxBytes) throw new BodyError('too_large');
    text += decoder.decode(value, { stream: true });
  }
}
