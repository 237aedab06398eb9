import { untilAborted } from './timeout.ts';

/** The reason of a body that could not be read whole: longer than allowed, or cut short. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
  readonly reason: 'too_large' | 'cut_short';

  constructor(reason: 'too_large' | 'cut_short') {
    super(reason);
    this.reason = reason;
  }
}

/**
 * The text of a body of at most `maxBytes`. A longer one is cancelled as soon as that is known; so is one that still
 * comes when the signal aborts.
 * @throws BodyError, or an AbortError.
 */
export async function readBody(response: Response, maxBytes: number, signal: AbortSignal): Promise<string> {
  if (response.body === null) return '';
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  try {
    if (Number(response.headers.get('content-length') ?? 0) > maxBytes) throw new BodyError('too_large');
    return await readAll(reader, maxBytes, signal);
  } catch (error) {
    reader.cancel().catch(() => undefined); // the stream is done with either way
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
