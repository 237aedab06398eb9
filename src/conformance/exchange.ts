import { problem, type CallName, type Problem } from '../protocol.ts';

/** A request that was sent and the answer that came. */
export interface Exchange {
  /** Undefined for a request that is none of the API's calls. */
  readonly call: CallName | undefined;
  /** The capability that was asked with. */
  readonly checkout: string;
  /** For people, without the capability: `POST {checkout}/invoice`. */
  readonly request: string;
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body, or undefined when it is not JSON. */
  readonly json: unknown;
}

/** A request that got no answer at all. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

const mediaType = ({ headers }: Exchange): string => headers.get('content-type')?.split(';')[0]?.trim() ?? '';

/** Whether the body is a problem document by its media type. */
export function isProblemType(exchange: Exchange): boolean {
  return mediaType(exchange).toLowerCase() === 'application/problem+json';
}

/** Whether the body is JSON by its media type. */
export function isJsonType(exchange: Exchange): boolean {
  return mediaType(exchange).toLowerCase() === 'application/json';
}

/** The problem document of an answer, or undefined when it is none. */
export function problemOf({ json }: Exchange): Problem | undefined {
  return problem.safeParse(json).data;
}

/** How long the answer took, in milliseconds. */
export function tookMs({ sentAt, answeredAt }: Exchange): number {
  return answeredAt - sentAt;
}

/** An answer in a few words: `HTTP 409 invoice_pending to POST {checkout}/invoice`. */
export function describe(exchange: Exchange): string {
  const { status, text, request } = exchange;
  const code = problemOf(exchange)?.code;
  const type = mediaType(exchange) || 'no media type';
  const what = code ?? (text === '' ? 'with no body' : `${type}, ${text.length} characters`);
  return `HTTP ${status} ${what} to ${request}`;
}
