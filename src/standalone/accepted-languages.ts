import { parseAccept } from 'hono/utils/accept';
import { readHeader } from '../base/text-limits.ts';

/** The languages that a browser asks for (`Accept-Language`), the most wanted first, without those that it refuses. */
export const acceptedLanguages = ({ headers }: Request): readonly string[] =>
  parseAccept(readHeader(headers, 'accept-language') ?? '')
    .filter(({ type, q }) => q > 0 && type !== '*')
    .map(({ type }) => type);
