import {
  createInvoiceServiceClient,
  type InvoiceServiceClientOptions,
} from '../../src/server/invoice-client/invoice-service-client.ts';
import { InvoiceServiceError, type InvoiceService } from '../../src/server/ports/invoice-service.ts';
import { AutoAdvancingClock } from './auto-advancing-clock.ts';

/** A request that the service received. */
interface SentRequest {
  readonly at: number;
  readonly url: string;
  readonly method: string | undefined;
  readonly redirect: string | undefined;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Responds to one request. `hang` never responds. */
export type ScriptedResponse = (request: SentRequest, signal: AbortSignal) => Response | Promise<Response>;

export const json = (status: number, body: unknown, headers: Record<string, string> = {}): ScriptedResponse => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return () => new Response(text, { status, headers: { 'content-type': 'application/json', ...headers } });
};

/** A network error, as `fetch` reports it: with the code of the socket's error in `cause`. */
export const networkError =
  (code: string, syscall = 'read'): ScriptedResponse =>
  () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('socket'), { code, syscall }) });
  };

export const hang: ScriptedResponse = () => new Promise(() => undefined);

export const qrFailure = json(503, { code: 'internal', message: 'the QR code could not be generated' });
export const createdInvoice = { id: 'inv_1', amount: '1500.00', external_id: 'att_1' };

interface LogLine {
  readonly level: string;
  readonly event: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

export interface ScriptedClient {
  readonly service: InvoiceService;
  readonly sentRequests: readonly SentRequest[];
  readonly log: readonly LogLine[];
  readonly clock: AutoAdvancingClock;
  /** Advances the clock until a call fails, and resolves with its error. */
  readonly failureOf: (call: Promise<unknown>) => Promise<InvoiceServiceError>;
}

/**
 * A client of a service whose responses are a script, of which the last one repeats. The client's clock is an
 * `AutoAdvancingClock`.
 */
export function scriptedClient(
  script: readonly ScriptedResponse[],
  options: Partial<InvoiceServiceClientOptions> = {},
): ScriptedClient {
  const clock = new AutoAdvancingClock();
  const sentRequests: SentRequest[] = [];
  const log: LogLine[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    const text = typeof init?.body === 'string' ? init.body : '';
    const body: unknown = JSON.parse(text);
    const request: SentRequest = {
      at: clock.now(),
      url: url instanceof Request ? url.url : url.toString(),
      method: init?.method,
      redirect: init?.redirect,
      headers: new Headers(init?.headers),
      text,
      body: typeof body === 'object' && body !== null ? { ...body } : {},
    };
    const respond = script[Math.min(sentRequests.length, script.length - 1)] ?? hang;
    sentRequests.push(request);
    return respond(request, init?.signal ?? new AbortController().signal);
  };
  const service = createInvoiceServiceClient({
    baseUrl: 'https://invoices.example',
    token: 'token-of-the-merchant',
    fetch,
    clock,
    log: (level, event, facts) => log.push({ level, event, facts }),
    ...options,
  });
  const failureOf = async (call: Promise<unknown>) => {
    const result = await clock.settle(call);
    if (result.status === 'rejected' && result.reason instanceof InvoiceServiceError) return result.reason;
    throw new Error(`The call did not fail with an InvoiceServiceError: ${result.status}`);
  };
  return { service, sentRequests, log, clock, failureOf };
}
