import { sleep, type Clock } from '../../../base/clock.ts';
import type { Invoice } from './invoice.ts';
import { JournalError, type InvoiceRepository, type WebhookCall } from './invoice-store.ts';

/** Sends one webhook request; `fetch` outside of tests. */
export type SendWebhook = (request: Request) => Promise<Response>;

const maxAttempts = 8;
const firstDelayMs = 1000;
const maxDelayMs = 60_000;
const responseTimeoutMs = 5000;
const maxConcurrentCalls = 16;
/** The delay before a new attempt to store the result of a call. */
const storeRetryMs = 1000;

/** The delay after a number of failed attempts, in milliseconds: 1 s, 2 s, 4 s … at most a minute. */
export function webhookDelay(attempts: number): number {
  return Math.min(firstDelayMs * 2 ** (attempts - 1), maxDelayMs);
}

/**
 * Sends webhooks for changes of status: a POST of `{"invoice_id","external_id","status"}` to `url_config.hook_url`. The
 * specification does not define the body (§6). A call without a 2xx response is repeated, up to eight calls in all. The
 * calls continue after a restart. Redirects are not followed.
 */
export class WebhookSender {
  readonly #store: InvoiceRepository;
  readonly #clock: Clock;
  readonly #send: SendWebhook;
  readonly #log: (line: string) => void;
  readonly #closingSignal: AbortSignal;
  readonly #callsInProgress = new Set<number>();
  #cancelTimer = (): void => undefined;

  constructor(
    store: InvoiceRepository,
    clock: Clock,
    send: SendWebhook,
    log: (line: string) => void,
    closingSignal: AbortSignal,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#send = send;
    this.#log = log;
    this.#closingSignal = closingSignal;
  }

  /** Stores a webhook call for later. Must be called in the transaction that changes the status. */
  enqueue({ id, external_id, status, url_config }: Invoice): void {
    if (url_config?.hook_url === undefined) return;
    const body = JSON.stringify({ invoice_id: id, external_id, status });
    this.#store.addWebhookCall(url_config.hook_url, body, this.#clock.now());
  }

  /** Starts the calls that are due without waiting for their end. When no call is in progress, sets a timer for the next one. */
  sendDue(): void {
    if (this.#closingSignal.aborted) return;
    this.#cancelTimer();
    const now = this.#clock.now();
    const dueCalls = this.#store.dueWebhookCalls(now).filter(({ id }) => !this.#callsInProgress.has(id));
    for (const call of dueCalls.slice(0, Math.max(0, maxConcurrentCalls - this.#callsInProgress.size)))
      void this.#call(call);
    if (this.#callsInProgress.size > 0) return; // the end of each call runs this method again
    const nextDueAt = this.#store.nextWebhookCall();
    if (nextDueAt !== undefined) this.#cancelTimer = this.#clock.schedule(nextDueAt - now, () => this.sendDue(), true);
  }

  stop(): void {
    this.#cancelTimer();
  }

  async #call(call: WebhookCall): Promise<void> {
    this.#callsInProgress.add(call.id);
    const failureReason = await this.#deliver(call);
    const attempts = call.attempts + 1;
    if (failureReason !== undefined && !this.#closingSignal.aborted)
      this.#log(`Hook ${new URL(call.url).origin}: ${failureReason} (${attempts} of ${maxAttempts})`);
    while (!this.#closingSignal.aborted && !this.#storeResult(call.id, attempts, failureReason === undefined))
      await sleep(this.#clock, storeRetryMs, this.#closingSignal).catch(() => undefined); // aborted: the loop ends
    this.#callsInProgress.delete(call.id);
    this.sendDue();
  }

  /** Returns false when the result could not be stored. The call then stays in progress, so that it is not repeated. */
  #storeResult(id: number, attempts: number, isDelivered: boolean): boolean {
    try {
      if (isDelivered || attempts === maxAttempts) this.#store.removeWebhookCall(id);
      else this.#store.postponeWebhookCall(id, attempts, this.#clock.now() + webhookDelay(attempts));
      return true;
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      this.#log(`The result of a hook could not be stored: ${error.message}`);
      return false;
    }
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
