import { sleep, type Clock } from '../../../base/clock.ts';
import type { Invoice, WebhookCall } from './invoice.ts';
import { JournalError, type InvoiceStore } from './invoice-store.ts';

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
  readonly #store: InvoiceStore;
  readonly #clock: Clock;
  readonly #send: SendWebhook;
  readonly #log: (line: string) => void;
  readonly #closingSignal: AbortSignal;
  /** The invoices' identifiers and the numbers of their calls. */
  readonly #callsInProgress = new Set<string>();
  #cancelTimer = (): void => undefined;

  constructor(
    store: InvoiceStore,
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

  /** Adds a call that reports the invoice's status, when the merchant gave a URL. The caller saves the result. */
  addCall(invoice: Invoice): Invoice {
    const { status, url_config, calls = [] } = invoice;
    if (url_config?.hook_url === undefined) return invoice;
    const number = (calls.at(-1)?.number ?? 0) + 1;
    return { ...invoice, calls: [...calls, { number, status, attempts: 0, due_at: this.#clock.now() }] };
  }

  /** Starts the calls that are due without waiting for their end. When no call is in progress, sets a timer for the next one. */
  sendDue(): void {
    if (this.#closingSignal.aborted) return;
    this.#cancelTimer();
    const now = this.#clock.now();
    const calls = this.#store.withCalls().flatMap((invoice) => invoice.calls?.map((call) => ({ invoice, call })) ?? []);
    for (const { invoice, call } of calls) {
      if (this.#callsInProgress.size === maxConcurrentCalls) break;
      if (call.due_at <= now && !this.#callsInProgress.has(keyOf(invoice, call))) void this.#call(invoice, call);
    }
    if (this.#callsInProgress.size > 0) return; // the end of each call runs this method again
    const nextDueAt = Math.min(...calls.map(({ call }) => call.due_at));
    if (calls.length > 0) this.#cancelTimer = this.#clock.schedule(nextDueAt - now, () => this.sendDue(), true);
  }

  stop(): void {
    this.#cancelTimer();
  }

  async #call(invoice: Invoice, call: WebhookCall): Promise<void> {
    this.#callsInProgress.add(keyOf(invoice, call));
    const url = invoice.url_config?.hook_url ?? '';
    const { id, external_id } = invoice;
    const failureReason = await this.#deliver(
      url,
      JSON.stringify({ invoice_id: id, external_id, status: call.status }),
    );
    const failedCall = failureReason === undefined ? undefined : { ...call, attempts: call.attempts + 1 };
    if (failedCall !== undefined && !this.#closingSignal.aborted)
      this.#log(`Hook ${new URL(url).origin}: ${failureReason} (${failedCall.attempts} of ${maxAttempts})`);
    while (!this.#closingSignal.aborted && !this.#storeResult(id, call, failedCall))
      await sleep(this.#clock, storeRetryMs, this.#closingSignal).catch(() => undefined); // aborted: the loop ends
    this.#callsInProgress.delete(keyOf(invoice, call));
    this.sendDue();
  }

  /** Returns false when the result could not be stored. The call then stays in progress, so that it is not repeated. */
  #storeResult(id: string, { number }: WebhookCall, failedCall: WebhookCall | undefined): boolean {
    const invoice = this.#store.find(id);
    if (invoice === undefined) return true;
    const repeatedCalls =
      failedCall === undefined || failedCall.attempts === maxAttempts
        ? []
        : [{ ...failedCall, due_at: this.#clock.now() + webhookDelay(failedCall.attempts) }];
    const calls = invoice.calls?.flatMap((call) => (call.number === number ? repeatedCalls : [call]));
    try {
      this.#store.save({ ...invoice, calls });
      return true;
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      this.#log(`The result of a hook could not be stored: ${error.message}`);
      return false;
    }
  }

  /** Sends a call. Resolves with the reason when it failed, and with undefined when it succeeded. */
  async #deliver(url: string, body: string): Promise<string | undefined> {
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

function keyOf({ id }: Invoice, { number }: WebhookCall): string {
  return `${id} ${number}`;
}
