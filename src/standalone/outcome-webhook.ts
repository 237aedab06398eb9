import { createHmac } from 'node:crypto';
import type { CheckoutServerOptions, Outcome } from '../server.ts';
import { toError } from '../base/thrown-value.ts';
import { toSnakeCase } from './snake-case-json.ts';
import type { OutcomeReceiver } from './environment/server-environment.ts';

/** The shop has not received an outcome. The message says why; a stack in the log of each try would say nothing more. */
export class OutcomeRefusedError extends Error {
  override readonly name = 'OutcomeRefusedError';
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
    delete this.stack;
  }
}

interface SenderOptions {
  readonly receiver: OutcomeReceiver;
  /** The time in milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Creates a function that sends an outcome as one webhook request (standardwebhooks.com). The function rejects when the receiver
 * cannot be reached or does not answer with 2xx. Redirects are not followed, because the receiver's address is configured.
 */
export function createOutcomeSender({ receiver, now = Date.now }: SenderOptions): CheckoutServerOptions['onOutcome'] {
  return async (outcome, { signal }) => {
    const body = JSON.stringify(toWebhookBody(outcome));
    const headers = {
      'content-type': 'application/json',
      ...createSignedHeaders(receiver.keys, outcome.id, body, now()),
    };
    try {
      const response = await fetch(receiver.url, { method: 'POST', headers, body, signal, redirect: 'manual' });
      const { status, ok } = response;
      // A login page, or an application that answers every path: the shop may have received nothing.
      const isHtml = ok && (await isHtmlPage(response));
      await response.body?.cancel();
      if (ok) return { status, ...(isHtml && { warning: 'answered_with_html' }) };
      throw new OutcomeRefusedError(`HTTP ${status}`, status);
    } catch (error) {
      if (error instanceof OutcomeRefusedError) throw error;
      throw new OutcomeRefusedError(describeFailure(error, signal));
    }
  };
}

/**
 * Whether the body is a page, also one of no type. The type alone says little: PHP sends `text/html` with every answer. Reads the
 * first part of it.
 */
async function isHtmlPage({ headers, body }: Response): Promise<boolean> {
  const type = headers.get('content-type') ?? 'text/html';
  if (!/^(?:text\/html|application\/xhtml\+xml)\b/i.test(type) || body === null) return false;
  const reader = body.getReader();
  try {
    const { value } = await reader.read();
    return /^\s*</.test(new TextDecoder().decode(value));
  } finally {
    reader.releaseLock();
  }
}

/** Converts an outcome to the body of a webhook, with names in snake_case. */
export function toWebhookBody(outcome: Outcome): object {
  const timestamp = new Date(outcome.occurredAt).toISOString();
  return { type: `checkout.${outcome.kind}`, timestamp, data: toSnakeCase(outcome) };
}

/** Creates the headers of Standard Webhooks, with one signature per key. `now` is in milliseconds since 1970. */
export function createSignedHeaders(keys: readonly Buffer[], id: string, body: string, now: number) {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/** Describes why a request had no response, without addresses: `timeout`, or a code such as ECONNREFUSED. */
export function describeFailure(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'timeout';
  const { cause } = toError(error);
  return String(toError(cause ?? error).code ?? 'no connection');
}
