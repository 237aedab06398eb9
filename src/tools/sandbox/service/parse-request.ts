import type { z } from 'zod';
import { toError } from '../../../base/thrown-value.ts';
import { issueText } from '../../../base/zod-issue-text.ts';
import { ServiceError } from './service-error.ts';

/** The maximum size of a request's body. */
export const maxBodyBytes = 1024 * 1024;
/** The maximum nesting of a body, as in protobuf's JSON parsers. */
const maxDepth = 100;

/** Reads the JSON value of a request's body. @throws ServiceError 413 when it is too large, 400 when it is not JSON in UTF-8 */
export async function readJson(request: Request): Promise<unknown> {
  const text = await readText(request);
  if (isDeeperThan(text, maxDepth))
    throw new ServiceError('invalid_argument', `body: nests deeper than ${maxDepth} levels`);
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (error) {
    const reason = text === '' ? 'it is empty' : toError(error).message;
    throw new ServiceError('invalid_argument', `body: is not JSON: ${reason}`);
  }
}

/** Parses a value by a schema. @throws ServiceError 400 with a message that names each invalid field */
export function parse<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const texts = error.issues.slice(0, 5).map((issue) => issueText(issue, 'body'));
  throw new ServiceError('invalid_argument', texts.join('; '));
}

async function readText(request: Request): Promise<string> {
  const bytes = await request.arrayBuffer();
  if (bytes.byteLength > maxBodyBytes)
    throw new ServiceError('resource_exhausted', `body: is larger than ${maxBodyBytes} bytes`, { httpStatus: 413 });
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new ServiceError('invalid_argument', 'body: is not UTF-8');
  }
}

/** Whether objects and lists nest deeper than `limit`. It scans the text, because a parser could overflow its stack. */
function isDeeperThan(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (inString) {
      if (char === '\\') index += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth > limit) return true;
  }
  return false;
}
