import { CheckoutError } from '../core.ts';

/** No checkout is nearly this long, in bytes. */
const largestBody = 512 * 1024;

/** The text of a response, or a `malformed` error once it is longer than any checkout. */
export async function responseText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return '';
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.byteLength;
    if (size > largestBody) {
      void reader.cancel();
      throw new CheckoutError('malformed', 'the answer is too long');
    }
    text += decoder.decode(value, { stream: true });
  }
}
