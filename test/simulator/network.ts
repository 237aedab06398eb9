import type { SeededRandom } from '../support/seeded-random.ts';
import type { Recorder } from './history.ts';
import type { VirtualTime } from './virtual-time.ts';

/** How a network link hurts messages: probabilities from 0 to 1. */
export interface LinkFaults {
  /** The request is lost: the sender sees a reset, or nothing. */
  readonly lost: number;
  /** The request was handled, and its response is lost. */
  readonly lostAnswer: number;
  /** The request arrives a second time, later. */
  readonly repeated: number;
  /** The message takes seconds, so that later messages overtake it. */
  readonly slow: number;
  /** A proxy cuts a request that waits for this long, in ms. */
  readonly cutAfterMs: number | undefined;
}

export const noLinkFaults: LinkFaults = { lost: 0, lostAnswer: 0, repeated: 0, slow: 0, cutAfterMs: undefined };

/** A request as `fetch` takes it, before it is sent. */
export interface Message {
  readonly url: string;
  readonly method: string;
  readonly headers: NonNullable<RequestInit['headers']>;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The message of a call of `fetch` whose body is a text. */
export function messageOf(input: string | URL | Request, init: RequestInit = {}): Message {
  const { method = 'GET', headers = {}, body, signal } = init;
  if (input instanceof Request || (body !== undefined && typeof body !== 'string'))
    throw new TypeError('not a message');
  return { url: String(input), method, headers, body, signal: signal ?? undefined };
}

/** Handles a message where it arrives. `text` is the request's body. */
type Handler = (request: Request, text: string) => Promise<Response>;

/** A network within the process: messages take time, and are lost, repeated, cut and overtaken. */
export class Network {
  readonly #time: VirtualTime;
  readonly #random: SeededRandom;
  readonly #recorder: Recorder;

  constructor(time: VirtualTime, random: SeededRandom, recorder: Recorder) {
    this.#time = time;
    this.#random = random;
    this.#recorder = recorder;
  }

  /** Sends a message over a link, as `fetch` does. */
  send(link: string, faults: LinkFaults, message: Message, handle: Handler): Promise<Response> {
    const { signal, url, method, headers, body } = message;
    const server = new AbortController();
    const receive = (): Promise<Response> => {
      const request = new Request(url, { method, headers, ...(body === undefined ? {} : { body }) });
      // A signal that the constructor follows costs more than the rest of the request.
      Object.defineProperty(request, 'signal', { value: server.signal });
      return handle(request, body ?? '');
    };
    return new Promise<Response>((resolve, reject) => {
      const abort = (): void => {
        this.#time.schedule(5, () => server.abort());
        reject(signal?.reason instanceof Error ? signal.reason : new DOMException('aborted', 'AbortError'));
      };
      if (signal?.aborted === true) {
        abort();
        return;
      }
      signal?.addEventListener('abort', abort, { once: true });
      this.#deliver(link, faults, receive, server)
        .finally(() => signal?.removeEventListener('abort', abort))
        .then(resolve, reject);
    });
  }

  async #deliver(
    link: string,
    faults: LinkFaults,
    receive: () => Promise<Response>,
    server: AbortController,
  ): Promise<Response> {
    const random = this.#random;
    await this.#delay(faults);
    if (random.chance(faults.lost)) return this.#lose(`${link} request`);
    if (random.chance(faults.repeated)) void this.#repeat(link, receive);
    const cut = faults.cutAfterMs === undefined ? undefined : this.#cutAfter(faults.cutAfterMs, link, server);
    const answer = receive();
    answer.catch(() => undefined);
    const response = await (cut === undefined ? answer : Promise.race([answer, cut.response]).finally(cut.cancel));
    if (random.chance(faults.lostAnswer)) return this.#lose(`${link} response`);
    await this.#delay(faults);
    return response;
  }

  async #repeat(link: string, receive: () => Promise<Response>): Promise<void> {
    await this.#time.sleep(this.#random.int(1, 5000));
    this.#recorder.note(`${link} repeats a request`);
    await receive().catch(() => undefined);
  }

  /** A proxy that answers 504 or resets the connection. */
  #cutAfter(ms: number, link: string, server: AbortController): { response: Promise<Response>; cancel: () => void } {
    let cancel = (): void => undefined;
    const response = new Promise<Response>((resolve, reject) => {
      cancel = this.#time.schedule(ms, () => {
        this.#recorder.note(`${link} is cut`);
        server.abort();
        if (this.#random.chance(0.5)) resolve(new Response('<h1>504</h1>', { status: 504 }));
        else reject(connectionReset());
      });
    });
    response.catch(() => undefined);
    return { response, cancel };
  }

  async #lose(message: string): Promise<never> {
    this.#recorder.counts.lost_messages += 1;
    this.#recorder.note(`${message} is lost`);
    // The sender sees a reset, or nothing until it gives up.
    if (this.#random.chance(0.5)) await this.#time.sleep(this.#random.int(30_000, 120_000));
    throw connectionReset();
  }

  #delay(faults: LinkFaults): Promise<void> {
    const isSlow = this.#random.chance(faults.slow);
    return this.#time.sleep(isSlow ? this.#random.int(500, 12_000) : this.#random.int(1, 60));
  }
}

/** The error of `fetch` for a connection that was reset. */
export function connectionReset(): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
}

/** The error of `fetch` for a server that does not run. */
export function connectionRefused(): TypeError {
  return new TypeError('fetch failed', {
    cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED', syscall: 'connect' }),
  });
}
