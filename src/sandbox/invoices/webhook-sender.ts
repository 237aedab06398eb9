import type { Clock } from '../../base/clock.ts';
import type { Invoice } from './invoice.ts';
import type { WebhookCall, InvoiceRepository } from './invoice-store.ts';

/** Sends one call to a merchant's hook; a test may pass its own. */
export type SendWebhook = (request: Request) => Promise<Response>;

const maxAttempts = 8;
const firstDelayMs = 1000;
const longestDelayMs = 60_000;
const answerTimeoutMs = 5000;
const maxAtOnce = 16;

/** How long to wait after so many vain attempts, in milliseconds: 1 s, 2 s, 4 s … at most a minute. */
export function webhookDelay(attempts: number): number {
  return Math.min(firstDelayMs * 2 ** (attempts - 1), longestDelayMs);
}

/**
 * Tells merchants at `url_config.hook_url` that a status changed (its form is not in the specification, §6): a POST of
 * `{"invoice_id","external_id","status"}`. A call that is not answered with 2xx is repeated, eight times in all, also
 * after a restart. A redirect is not followed.
 */
export class WebhookSender {
  readonly #store: InvoiceRepository;
  readonly #clock: Clock;
  readonly #send: SendWebhook;
  readonly #log: (line: string) => void;
  readonly #closing: AbortSignal;
  readonly #underway = new Set<number>();
  #cancelTimer = (): void => undefined;

  constructor(
    store: InvoiceRepository,
    clock: Clock,
    send: SendWebhook,
    log: (line: string) => void,
    closing: AbortSignal,
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#send = send;
    this.#log = log;
    this.#closing = closing;
  }

  /** Notes a call to make; it belongs into the transaction that changes the status. */
  enqueue({ id, external_id, status, url_config }: Invoice): void {
    if (url_config?.hook_url === undefined) return;
    const body = JSON.stringify({ invoice_id: id, external_id, status });
    this.#store.addWebhookCall(url_config.hook_url, body, this.#clock.now());
  }

  /** Makes the calls that are due and sets a timer for the next one. Nobody waits for it. */
  sendDue(): void {
    if (this.#closing.aborted) return;
    this.#cancelTimer();
    const now = this.#clock.now();
    const due = this.#store.dueWebhookCalls(now).filter(({ id }) => !this.#underway.has(id));
    for (const call of due.slice(0, Math.max(0, maxAtOnce - this.#underway.size))) void this.#call(call);
    if (this.#underway.size > 0) return; // the end of a call wakes it again
    const next = this.#store.nextWebhookCall();
    if (next !== undefined) this.#cancelTimer = this.#clock.schedule(next - now, () => this.sendDue(), true);
  }

  stop(): void {
    this.#cancelTimer();
  }

  async #call(call: WebhookCall): Promise<void> {
    this.#underway.add(call.id);
    const problem = await this.#deliver(call);
    this.#underway.delete(call.id);
    if (this.#closing.aborted) return;
    const attempts = call.attempts + 1;
    if (problem === undefined || attempts === maxAttempts) this.#store.removeWebhookCall(call.id);
    else this.#store.postponeWebhookCall(call.id, attempts, this.#clock.now() + webhookDelay(attempts));
    if (problem !== undefined)
      this.#log(`Hook ${new URL(call.url).origin}: ${problem} (${attempts} of ${maxAttempts})`);
    this.sendDue();
  }

  /** What went wrong, or undefined. */
  async #deliver({ url, body }: WebhookCall): Promise<string | undefined> {
    const timeout = new AbortController();
    const cancelTimeout = this.#clock.schedule(answerTimeoutMs, () => timeout.abort(), true);
    try {
      const request = new Request(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([timeout.signal, this.#closing]),
      });
      const response = await this.#send(request);
      await response.body?.cancel();
      return response.ok ? undefined : `answered ${response.status}`;
    } catch {
      return timeout.signal.aborted ? 'did not answer' : 'could not be reached';
    } finally {
      cancelTimeout();
    }
  }
}
