import type { Clock } from '../../../base/clock.ts';
import type { Invoice } from './invoice.ts';

/** Sends one webhook request; `fetch` outside of tests. */
export type SendWebhook = (request: Request) => Promise<Response>;

/** A call that reports a status, and the number of its failed attempts. */
interface WebhookCall {
  readonly url: string;
  readonly body: string;
  readonly attempts: number;
}

const maxAttempts = 8;
const firstDelayMs = 1000;
const maxDelayMs = 60_000;
const responseTimeoutMs = 5000;
const maxConcurrentCalls = 16;

/** The delay after a number of failed attempts, in milliseconds: 1 s, 2 s, 4 s … at most a minute. */
export function webhookDelay(attempts: number): number {
  return Math.min(firstDelayMs * 2 ** (attempts - 1), maxDelayMs);
}

/**
 * Sends webhooks for changes of status: a POST of `{"invoice_id","external_id","status"}` to `url_config.hook_url`. The
 * specification does not define the body (§6). A call without a 2xx response is repeated, up to eight calls in all, until the
 * sandbox ends. Redirects are not followed.
 */
export class WebhookSender {
  readonly #clock: Clock;
  readonly #send: SendWebhook;
  readonly #log: (line: string) => void;
  readonly #closingSignal: AbortSignal;
  readonly #waitingCalls: WebhookCall[] = [];
  #callsInProgress = 0;

  constructor(clock: Clock, send: SendWebhook, log: (line: string) => void, closingSignal: AbortSignal) {
    this.#clock = clock;
    this.#send = send;
    this.#log = log;
    this.#closingSignal = closingSignal;
  }

  /** Reports the invoice's status, when the merchant gave a URL. Does not wait for the response. */
  report({ id, external_id, status, url_config }: Invoice): void {
    if (url_config?.hook_url === undefined) return;
    const body = JSON.stringify({ invoice_id: id, external_id, status });
    this.#enqueue({ url: url_config.hook_url, body, attempts: 0 });
  }

  #enqueue(call: WebhookCall): void {
    this.#waitingCalls.push(call);
    this.#startNext();
  }

  #startNext(): void {
    if (this.#callsInProgress === maxConcurrentCalls || this.#closingSignal.aborted) return;
    const call = this.#waitingCalls.shift();
    if (call !== undefined) void this.#call(call);
  }

  async #call(call: WebhookCall): Promise<void> {
    this.#callsInProgress += 1;
    const failureReason = await this.#deliver(call);
    this.#callsInProgress -= 1;
    if (failureReason !== undefined && !this.#closingSignal.aborted) this.#repeatLater(call, failureReason);
    this.#startNext();
  }

  #repeatLater(call: WebhookCall, failureReason: string): void {
    const attempts = call.attempts + 1;
    this.#log(`Hook ${new URL(call.url).origin}: ${failureReason} (${attempts} of ${maxAttempts})`);
    if (attempts < maxAttempts)
      this.#clock.schedule(webhookDelay(attempts), () => this.#enqueue({ ...call, attempts }), true);
  }

  /** Sends a call. Resolves with the reason when it failed, and with undefined when it succeeded. */
  async #deliver({ url, body }: WebhookCall): Promise<string | undefined> {
    const timeoutController = new AbortController();
    const cancelTimeout = this.#clock.schedule(responseTimeoutMs, () => timeoutController.abort(), true);
    try {
      const request = new Request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([timeoutController.signal, this.#closingSignal]),
      });
      const response = await this.#send(request);
      await response.body?.cancel();
      return response.ok ? undefined : `answered ${response.status}`;
    } catch {
      return timeoutController.signal.aborted ? 'did not answer' : 'could not be reached';
    } finally {
      cancelTimeout();
    }
  }
}
