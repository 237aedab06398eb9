// The payers of one process in a load run. Each is the session of the widget with its own transport: what ships is what is measured.
import { setTimeout as sleep } from 'node:timers/promises';
import { realPorts } from '../../src/tools/conformance/conformance-options.ts';
import { SandboxClient } from '../../src/tools/conformance/sandbox-client.ts';
import { browserPorts } from '../../src/headless.ts';
import { createSession, type CheckoutSession, type CheckoutTransport, type SessionPorts } from '../../src/core.ts';
import type { Sample } from './judge.ts';
import { createKeepAliveFetch } from './keep-alive-fetch.ts';
import { buyerHeaders, placeOrder } from './place-orders.ts';
import { observeFetch, type RecordResult } from './observe-fetch.ts';

export interface PayersOptions {
  /** The address of the server, or of the proxy in front of it. */
  readonly url: string;
  readonly sandboxUrl: string;
  /** The number of the first payer, from which the network addresses follow. */
  readonly firstIndex: number;
}

/** A payment in the sandbox, and when the payer's session emitted `paid`; in ms since 1970. */
export interface Payment {
  readonly paidAt: number;
  readonly toldAt?: number;
}

/** What happened since the last sample, and how the payers are now. */
export interface PayersSample extends Pick<
  Sample,
  'arriving' | 'waiting' | 'stale' | 'reads' | 'creates' | 'refusedMs' | 'invoiceMs'
> {
  /** Waiting payers who have had an answer since `markRecovery`, or within the last 30 s if that is later. */
  readonly answered: number;
  /** How many of those have an open long poll. */
  readonly answeredPolls: number;
  /** How many of the others have an open long poll. */
  readonly otherPolls: number;
  readonly told: readonly Payment[];
  readonly untold: readonly Payment[];
  /** The session emitted `paid`, and nobody has paid. */
  readonly wronglyTold: number;
}

interface Payer {
  leave: () => void;
  invoiceId?: string;
  paidAt?: number;
  /** When he had his invoice. */
  waitsSince: number;
  isStale: boolean;
  /** When the last read was answered; on this process's clock. */
  answeredAt: number;
  hasOpenPoll: boolean;
}

/** Nobody pays sooner after his invoice was created, in ms: a payer has to open the application of his bank. */
const payingMs = 10_000;
/** How long a buyer of an overload waits for an invoice before he gives up, in ms. */
const patienceMs = 60_000;
/** An answered read shows for this long that a payer is served, in ms: a long poll takes 25 s. */
const servedMs = 30_000;

const neverHidden: SessionPorts['pageLifecycle'] = { isVisible: () => true, onResume: () => () => undefined };

const now = (): number => performance.timeOrigin + performance.now();

export class Payers {
  #options: PayersOptions = { url: '', sandboxUrl: '', firstIndex: 0 };
  readonly #payers = new Set<Payer>();
  #lastIndex = 0;
  #arriving = 0;
  #payments = new AbortController();
  #recoversFrom = 0;
  #counts = emptyCounts();

  /** To be called first. */
  configure(options: PayersOptions): void {
    this.#options = options;
    this.#lastIndex = options.firstIndex;
  }

  /** Lets payers arrive, who order, choose SBP and wait. */
  arrive(count: number, perSecond: number): void {
    void evenly(
      perSecond,
      (done) => done < count,
      () => void this.#arrive(),
    );
  }

  /** From now on so many waiting payers pay each second, at the earliest 10 s after they had their invoices, and for each of them another one arrives. */
  pay(perSecond: number): void {
    this.#payments.abort();
    const { signal } = (this.#payments = new AbortController());
    const sandbox = new SandboxClient(this.#options.sandboxUrl, realPorts);
    void evenly(
      perSecond,
      () => !signal.aborted,
      () => {
        const payer = this.#randomUnpaid();
        if (payer?.invoiceId === undefined) return;
        payer.paidAt = now();
        void this.#arrive();
        void sandbox.simulate(payer.invoiceId, 'pay').catch(() => delete payer.paidAt);
      },
    );
  }

  /** All waiting payers leave. */
  leave(): void {
    for (const payer of this.#payers) payer.leave();
  }

  /** Buyers who leave when they have an invoice: `atOnce` of them at a time for some seconds. Resolves with their number a second. */
  async measureCapacity(atOnce: number, seconds: number): Promise<number> {
    let bought = 0;
    const endsAt = now() + seconds * 1000;
    const buyUntilEnd = async (): Promise<void> => {
      while (now() < endsAt) if ((await this.#buy()) && now() < endsAt) bought += 1;
    };
    await Promise.all(Array.from({ length: atOnce }, buyUntilEnd));
    return bought / seconds;
  }

  /** The same buyers, so many each second, however many of them still wait. */
  async overload(perSecond: number, seconds: number): Promise<void> {
    await evenly(
      perSecond,
      (done) => done < perSecond * seconds,
      () => void this.#buy(),
    );
  }

  /** A disturbance is over: from now on `takeSample` counts only answers that come later. */
  markRecovery(): void {
    this.#recoversFrom = now();
  }

  takeSample(): PayersSample {
    const counts = this.#counts;
    this.#counts = emptyCounts();
    const payers = [...this.#payers];
    const servedSince = Math.max(this.#recoversFrom, now() - servedMs);
    const answered = payers.filter(({ answeredAt }) => answeredAt >= servedSince);
    const polls = payers.filter(({ hasOpenPoll }) => hasOpenPoll).length;
    const answeredPolls = answered.filter(({ hasOpenPoll }) => hasOpenPoll).length;
    return {
      ...counts,
      arriving: this.#arriving,
      waiting: payers.length,
      answered: answered.length,
      answeredPolls,
      otherPolls: polls - answeredPolls,
      stale: payers.filter(({ isStale }) => isStale).length,
      untold: payers.flatMap(({ paidAt }) => (paidAt === undefined ? [] : [{ paidAt }])),
    };
  }

  readonly #record: RecordResult = (method, result, ms) => {
    const { reads, creates, refusedMs } = this.#counts;
    const counts = method === 'GET' ? reads : creates;
    counts[result] = (counts[result] ?? 0) + 1;
    if (method !== 'GET' && result === '503') refusedMs.push(ms);
  };

  /** A payer who has not paid, at random. */
  #randomUnpaid(): Payer | undefined {
    const able = [...this.#payers].filter(
      ({ paidAt, waitsSince }) => paidAt === undefined && now() - waitsSince > payingMs,
    );
    return able[Math.floor(Math.random() * able.length)];
  }

  /** Orders until the shop has a checkout, and opens it as its payer does, who then waits until he is told that he has paid. */
  async #arrive(): Promise<void> {
    this.#arriving += 1;
    const payer: Payer = { leave: () => undefined, waitsSince: 0, isStale: false, answeredAt: 0, hasOpenPoll: false };
    const { session, close } = this.#createSession(await this.#order(), (transport) => watchReads(payer, transport));
    payer.leave = () => {
      close();
      this.#payers.delete(payer);
    };
    session.onEvent((event) => {
      if (event.type !== 'paid') return;
      payer.leave();
      if (payer.paidAt === undefined) this.#counts.wronglyTold += 1;
      else this.#counts.told.push({ paidAt: payer.paidAt, toldAt: now() });
    });
    const orderedAt = now();
    payer.invoiceId = await requestInvoice(session);
    this.#counts.invoiceMs.push(now() - orderedAt);
    payer.waitsSince = payer.answeredAt = now();
    this.#arriving -= 1;
    this.#payers.add(payer);
  }

  /** Orders as a shop does that waits longer after each refusal, at least as long as it is told. Resolves with the capability. */
  async #order(): Promise<string> {
    for (let pauseMs = 1000; ; pauseMs = Math.min(2 * pauseMs, 16_000)) {
      const placed = await placeOrder(this.#options.url, this.#record);
      if ('capability' in placed) return placed.capability;
      await sleep(Math.max(pauseMs, placed.retryAfterMs) * (1 + Math.random() / 2));
    }
  }

  /** A buyer of an overload. Resolves with whether he has an invoice. */
  async #buy(): Promise<boolean> {
    const placed = await placeOrder(this.#options.url, this.#record);
    if (!('capability' in placed)) {
      await sleep(100);
      return false;
    }
    const { session, close } = this.#createSession(placed.capability, (transport) => transport);
    const orderedAt = now();
    const hasInvoice = await Promise.race([requestInvoice(session).then(() => true), sleep(patienceMs, false)]);
    this.#counts.invoiceMs.push(now() - orderedAt);
    close();
    return hasInvoice;
  }

  /** The session of one payer, with a connection of its own. `watch` wraps the transport. */
  #createSession(
    checkout: string,
    watch: (transport: CheckoutTransport) => CheckoutTransport,
  ): { readonly session: CheckoutSession; readonly close: () => void } {
    const connection = createKeepAliveFetch();
    const ports = browserPorts({
      endpoint: `${this.#options.url}/checkout`,
      checkout,
      fetch: observeFetch(connection.fetch, this.#record),
      headers: buyerHeaders(this.#lastIndex++),
    });
    const session = createSession({ ...ports, pageLifecycle: neverHidden, transport: watch(ports.transport) });
    const close = (): void => {
      session.stop();
      connection.close();
    };
    return { session, close };
  }
}

/**
 * Calls `act` so many times a second while `goesOn`, which is called with the number of calls so far. Each call has a random place in its
 * part of the second: it would otherwise always come at the same time before the next tick of a poller.
 */
async function evenly(perSecond: number, goesOn: (done: number) => boolean, act: () => void): Promise<void> {
  const startedAt = now();
  for (let done = 0; perSecond > 0 && goesOn(done); done += 1) {
    await sleep(Math.max(0, startedAt + ((done + Math.random()) * 1000) / perSecond - now()));
    act();
  }
}

/** The transport of a payer, which notes how his reads end. */
function watchReads(payer: Payer, transport: CheckoutTransport): CheckoutTransport {
  return {
    ...transport,
    async read(request, signal) {
      payer.hasOpenPoll = request.waitSeconds !== undefined;
      try {
        const answer = await transport.read(request, signal);
        payer.answeredAt = now();
        if (answer.kind === 'checkout') payer.isStale = answer.checkout.stale;
        return answer;
      } finally {
        payer.hasOpenPoll = false;
      }
    },
  };
}

/** How long a payer takes to press again after a refusal, in ms. */
const pressAgainMs = 1000;

/** Starts a session, and presses SBP until the payer has an invoice. Resolves with its identifier. */
function requestInvoice(session: CheckoutSession): Promise<string> {
  return new Promise((resolve) => {
    let pressAfterMs = 0;
    let isGoingToPress = false;
    const press = (): void => {
      isGoingToPress = false;
      pressAfterMs = pressAgainMs;
      session.select('pm_sbp');
      session.createInvoice();
    };
    const unsubscribe = session.subscribe((state) => {
      if (state.status === 'choosing' && !isGoingToPress) {
        isGoingToPress = true;
        setTimeout(press, pressAfterMs);
      }
      if (state.status !== 'waiting') return;
      unsubscribe();
      resolve(state.invoice.id);
    });
    session.start();
  });
}

function emptyCounts() {
  return {
    reads: {} as Record<string, number>,
    creates: {} as Record<string, number>,
    refusedMs: new Array<number>(),
    invoiceMs: new Array<number>(),
    told: new Array<Payment>(),
    wronglyTold: 0,
  };
}
