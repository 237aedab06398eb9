import type { CheckoutTransport, CreateAnswer, CreateRequest, ReadAnswer, ReadRequest } from '../../src/core.ts';
import type { FakeClock } from './fake-clock.ts';

/** A recorded call of the transport. */
export interface Call<Request> {
  readonly request: Request;
  readonly at: number;
  readonly signal: AbortSignal;
}

type Respond<Request, Answer> = (request: Request, index: number) => Answer | Error | Promise<Answer>;

/** A transport whose responses a test decides. It records all calls, and counts those that are under way. */
export class FakeTransport implements CheckoutTransport {
  readonly reads: Call<ReadRequest>[] = [];
  readonly creates: Call<CreateRequest>[] = [];
  reading = 0;
  creating = 0;
  mostReading = 0;
  mostCreating = 0;
  onRead: Respond<ReadRequest, ReadAnswer>;
  onCreate: Respond<CreateRequest, CreateAnswer>;
  readonly #clock: FakeClock;

  constructor(clock: FakeClock, onRead: Respond<ReadRequest, ReadAnswer>) {
    this.#clock = clock;
    this.onRead = onRead;
    this.onCreate = () => new Error('no create expected');
  }

  read(request: ReadRequest, signal: AbortSignal): Promise<ReadAnswer> {
    this.reads.push({ request, at: this.#clock.now(), signal });
    this.reading += 1;
    this.mostReading = Math.max(this.mostReading, this.reading);
    return track(signal, this.onRead(request, this.reads.length - 1), () => (this.reading -= 1));
  }

  createInvoice(request: CreateRequest, signal: AbortSignal): Promise<CreateAnswer> {
    this.creates.push({ request, at: this.#clock.now(), signal });
    this.creating += 1;
    this.mostCreating = Math.max(this.mostCreating, this.creating);
    return track(signal, this.onCreate(request, this.creates.length - 1), () => (this.creating -= 1));
  }
}

/** Settles with the result, or rejects when the signal aborts. Calls `onEnd` once. */
function track<T>(signal: AbortSignal, result: T | Error | Promise<T>, onEnd: () => void): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let isSettled = false;
    const settleOnce = (resolveOrReject: () => void): void => {
      if (isSettled) return;
      isSettled = true;
      onEnd();
      resolveOrReject();
    };
    signal.addEventListener('abort', () => settleOnce(() => reject(new DOMException('aborted', 'AbortError'))));
    Promise.resolve(result).then(
      (value) => settleOnce(() => (value instanceof Error ? reject(value) : resolve(value))),
      (error: unknown) => settleOnce(() => reject(error instanceof Error ? error : new Error(String(error)))),
    );
  });
}

/** A promise that a test settles. */
export class Deferred<T> {
  readonly promise: Promise<T>;
  #resolve: (value: T) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor() {
    this.promise = new Promise<T>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  resolve(value: T): void {
    this.#resolve(value);
  }

  reject(error: Error): void {
    this.#reject(error);
  }
}
