import type { LitElement, ReactiveController } from 'lit';
import { beginFirstRead, browserClock, decodeInitialCheckout, requestCheckout, type FirstRead } from '../../client.ts';
import { CheckoutError, connected, createStandInSession } from '../../core.ts';
import type { CheckoutSession, CheckoutState, StandInSession } from '../../core.ts';
import type { Checkout } from '../../protocol.ts';
import { waitingInvoiceStorage } from '../waiting-invoice-storage.ts';
import { loadPaymentChunk, loadedPaymentChunk } from '../load-payment-chunk.ts';
import { isServerRendering } from '../is-server-rendering.ts';
import { waitForPaint } from '../wait-for-paint.ts';
import { CheckoutErrorEvent, CheckoutOutcomeEvent } from '../pay-invoice.events.ts';
import type { PayInvoiceOptions } from '../pay-invoice-options.ts';
import { loadQrEncoder, preloadQrEncoder } from '../qr/load-qr-encoder.ts';

/** The properties that determine the checkout, and the connection to it. */
const connectionProperties = ['endpoint', 'checkout', 'transport'] as const;

/** The state of an element without a checkout, which requests nothing. */
const idle: CheckoutState = { status: 'loading', connection: connected };

/** The delay before the file of the payment screens is loaded again after a failure, in ms. */
const reloadMs = 5000;

/** How long preloaded files are awaited before placeholders are shown, in ms. */
const placeholderDelayMs = 100;

/** Requests the QR encoder, and draws the QR, as soon as a response says that an invoice waits to be paid. */
function prepareQr({ status, invoice }: Checkout): void {
  if (!isServerRendering && status === 'pending' && invoice?.nspk_url) preloadQrEncoder(invoice.nspk_url);
}

type SessionHost = LitElement &
  Pick<PayInvoiceOptions, 'initial' | 'transport'> & {
    readonly endpoint: string;
    readonly checkout: string;
    readonly method: string;
  };

/**
 * Runs the session of the host's checkout while the host is connected. Until the file with the session's code is loaded, a
 * stand-in session shows the options of the first response. That response is requested before anything is rendered.
 */
export class SessionController implements ReactiveController {
  /** Undefined where the host has neither a checkout nor a transport, and until the session's code is loaded. */
  session: CheckoutSession | undefined;
  readonly #host: SessionHost;
  readonly #emit: (event: Event) => void;
  #standIn: StandInSession | undefined;
  #initial: Checkout | undefined;
  #firstRead: FirstRead | undefined;
  /** The first read, once a session uses it. It is aborted when the element is removed. */
  #usedRead: FirstRead | undefined;
  /** The values of `connectionProperties` with which `#firstRead` was sent. */
  #readSource: readonly unknown[] = [];
  #cancelReload: (() => void) | undefined;
  /** Whether `ready` was emitted for the options in the stand-in session. The session then emits no second `ready`. */
  #isReady = false;

  constructor(host: SessionHost, emit: (event: Event) => void) {
    this.#host = host;
    this.#emit = emit;
    host.addController(this);
  }

  get state(): CheckoutState {
    return this.#current?.getState() ?? idle;
  }

  /** Whether there is a checkout to show. */
  get isOpen(): boolean {
    return this.#current !== undefined;
  }

  /**
   * Where the page preloads the response, or the files of the payment screens: resolves when they have come, or after
   * `placeholderDelayMs`. Placeholders that are replaced at once would only cost a layout.
   */
  get preloaded(): Promise<unknown> | undefined {
    const hasLink = (link: string): boolean => document.querySelector(`link${link}`) !== null;
    const preloads = [
      ...(this.#firstRead && hasLink('[as=fetch]') ? [this.#firstRead.answer] : []),
      ...(hasLink('[href*=".qr-drawing"]') ? [loadPaymentChunk(), loadQrEncoder()] : []),
    ];
    return (
      preloads[0] &&
      Promise.race([
        Promise.all(preloads).catch(() => undefined),
        new Promise((resolve) => setTimeout(resolve, placeholderDelayMs)),
      ])
    );
  }

  get #current(): CheckoutSession | StandInSession | undefined {
    return this.session ?? this.#standIn;
  }

  hostConnected(): void {
    this.#host.requestUpdate();
    if (this.session) this.session.start();
    else if (this.#standIn) this.#load(this.#standIn);
    // The request is sent before the first render, so that the request does not wait for the render.
    else if (!this.#host.hasUpdated && !this.#firstRead && this.#snapshotSource === undefined) this.#beginRead();
    // The parser may not have reached the JSON inside the tag. That JSON is read later, as a new `initial`.
    if (document.readyState === 'loading')
      addEventListener('DOMContentLoaded', () => this.#host.requestUpdate('initial', null));
  }

  hostDisconnected(): void {
    this.session?.stop();
    this.#cancelReload?.();
    // An element that is moved is connected again at once: its request goes on.
    void Promise.resolve().then(() => {
      if (this.#host.isConnected) return;
      this.#dropRead();
      this.#usedRead?.abort();
    });
  }

  /** Applies changed properties of the host: opens another checkout, or updates the open checkout. */
  apply(changed: ReadonlyMap<PropertyKey, unknown>): void {
    if (!this.#host.hasUpdated || connectionProperties.some((name) => changed.has(name))) this.#open();
    else {
      const snapshot = changed.has('initial') && this.#newSnapshot();
      if (snapshot && this.session) this.session.hydrate(snapshot);
      else if (snapshot) this.#showInStandIn((this.#initial = snapshot));
      if (changed.has('method')) this.#current?.prefer(this.#host.method);
    }
  }

  select(methodId: string): void {
    this.#current?.select(methodId);
    this.#host.requestUpdate();
  }

  setAmount(text: string): void {
    this.#current?.setAmount(text);
    this.#host.requestUpdate();
  }

  /** Requests an invoice: at once, or once the session's code is loaded. */
  createInvoice(): void {
    this.#current?.createInvoice();
    this.#host.requestUpdate();
    if (this.#standIn) this.#load(this.#standIn);
  }

  /** Reads the checkout now. Resolves when the read succeeded or failed. */
  async refresh(): Promise<void> {
    const standIn = this.#standIn;
    if (this.session) await this.session.refresh();
    if (!standIn) return;
    this.#beginRead();
    this.#load(standIn);
    await this.#firstRead?.answer.catch(() => undefined);
  }

  #open(): void {
    this.session?.stop();
    this.session = this.#standIn = undefined;
    this.#isReady = false;
    const { endpoint, checkout, transport, method, isConnected } = this.#host;
    if (!checkout && !transport) {
      // eslint-disable-next-line no-console -- a mistake in the page's markup, which its developer has to see
      console.error('<pay-invoice> needs a checkout attribute');
      return;
    }
    if (this.#readSource.some((value, index) => value !== [endpoint, checkout, transport][index])) this.#dropRead();
    this.#initial = this.#newSnapshot();
    if (this.#initial) {
      this.#dropRead();
      // Before the larger file of the payment chunk is requested: the QR is drawn while that file loads.
      prepareQr(this.#initial);
    }
    const part = loadedPaymentChunk();
    if (part) this.#openSession(part);
    else {
      const standIn = (this.#standIn = createStandInSession(method));
      if (this.#initial) this.#showInStandIn(this.#initial);
      if (isConnected) this.#load(standIn);
    }
    // After the request for the payment chunk, because the first access to the storage takes as long as a render.
    const isWaitPossible = !isServerRendering && this.state.status === 'loading' && !this.#initial;
    if (isWaitPossible && waitingInvoiceStorage.get()) preloadQrEncoder();
  }

  #openSession(part: NonNullable<ReturnType<typeof loadedPaymentChunk>>): void {
    const { endpoint, checkout, transport, method, isConnected } = this.#host;
    const session = part.openSession(
      { endpoint, checkout },
      { transport, first: this.#firstRead, initial: this.#initial, preferred: method },
    );
    this.#usedRead = this.#firstRead;
    this.#firstRead = undefined;
    session.subscribe(() => this.#host.requestUpdate());
    session.onEvent((event) => {
      if (session === this.session && !(this.#isReady && event.type === 'ready')) this.#emit(part.toDomEvent(event));
    });
    this.session = session;
    // The session may have a state from the start. The events of that state are dispatched after the render that shows it.
    this.#host.requestUpdate();
    if (isConnected) session.start();
  }

  #beginRead(): void {
    const { endpoint, checkout, transport } = this.#host;
    if (!checkout && !transport) return;
    this.#dropRead();
    this.#readSource = [endpoint, checkout, transport];
    const options = { endpoint, checkout, clock: browserClock };
    this.#firstRead = beginFirstRead(
      (signal) => (transport ? transport.read({}, signal) : requestCheckout(options, signal)),
      browserClock,
    );
  }

  #dropRead(): void {
    this.#firstRead?.abort();
    this.#firstRead = undefined;
  }

  /** Loads the session's code: at the same time as the first response, or after the paint of options that are known already. */
  #load(standIn: StandInSession): void {
    this.#cancelReload?.();
    if (!this.#firstRead && !this.#initial) this.#beginRead();
    if (this.#firstRead) void this.#showResponse(this.#firstRead, standIn);
    const paint = this.state.status === 'choosing' ? waitForPaint() : undefined;
    (paint ? paint.then(loadPaymentChunk) : loadPaymentChunk()).then(
      async (part) => {
        // The options are painted first: opening a session takes as long as painting them.
        if (!paint && this.state.status === 'choosing') await waitForPaint();
        if (standIn !== this.#standIn) return;
        this.#standIn = undefined;
        this.#openSession(part);
        if (this.session) standIn.replay(this.session);
        this.#host.requestUpdate();
      },
      (cause: unknown) => this.#handleFailure(standIn, cause),
    );
  }

  #handleFailure(standIn: StandInSession, cause: unknown): void {
    if (standIn !== this.#standIn || !this.#host.isConnected) return;
    const error = new CheckoutError('network', 'the payment screens could not be loaded', { cause });
    standIn.fail(error);
    if (!this.#cancelReload) this.#emit(new CheckoutErrorEvent(error));
    this.#host.requestUpdate();
    this.#cancelReload?.();
    this.#cancelReload = browserClock.schedule(reloadMs, () => this.#load(standIn));
  }

  /** Shows the options in the first response, or that no response came. The session handles every other response. */
  async #showResponse(first: FirstRead, standIn: StandInSession): Promise<void> {
    let failure: unknown;
    if (!first.response()) await first.answer.catch((thrown: unknown) => (failure = thrown));
    if (first !== this.#firstRead || standIn !== this.#standIn) return;
    if (failure instanceof CheckoutError && failure.retryable) standIn.fail(failure);
    const checkout = first.response()?.checkout;
    if (checkout) {
      prepareQr(checkout);
      this.#showInStandIn(checkout);
    }
    this.#host.requestUpdate();
  }

  /** Shows a checkout in the stand-in session. Emits `ready` once it has options, before any event of the payer's actions. */
  #showInStandIn(checkout: Checkout): void {
    this.#standIn?.show(checkout);
    const { state } = this;
    if (this.#isReady || !('checkout' in state) || !state.checkout.options[0]) return;
    this.#isReady = true;
    this.#emit(new CheckoutOutcomeEvent('ready', state.checkout));
  }

  /** `initial`, or the JSON inside the tag. */
  get #snapshotSource(): unknown {
    const json = isServerRendering
      ? undefined
      : this.#host.querySelector(':scope > script[type="application/json"]')?.textContent;
    return this.#host.initial ?? json ?? undefined;
  }

  /** The checkout that came with the page, if it has the host's `checkout` id and is newer than the current state. */
  #newSnapshot(): Checkout | undefined {
    const { checkout } = this.#host;
    const knownCheckout = 'checkout' in this.state ? this.state.checkout : undefined;
    const source = this.#snapshotSource;
    if (source === undefined) return undefined;
    try {
      const snapshot = decodeInitialCheckout(source);
      if (snapshot.id !== (checkout || (knownCheckout?.id ?? snapshot.id))) return undefined;
      return knownCheckout && Date.parse(snapshot.server_time) <= Date.parse(knownCheckout.server_time)
        ? undefined
        : snapshot;
    } catch (thrown) {
      this.#emit(new CheckoutErrorEvent(CheckoutError.from(thrown)));
      return undefined;
    }
  }
}
