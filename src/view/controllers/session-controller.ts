import type { LitElement, ReactiveController } from 'lit';
import { browserClock, browserPorts, checkoutUrl, decodeCheckoutJson } from '../../client.ts';
import { CheckoutError, createSession } from '../../core.ts';
import type { CheckoutSession, CheckoutState, DecodedCheckout } from '../../core.ts';
import type { Checkout } from '../../checkout-api.ts';
import { CheckoutErrorEvent, toDomEvent } from '../pay-invoice.events.ts';
import type { PayInvoiceOptions } from '../pay-invoice-options.ts';

/** The state of an element without a checkout, which requests nothing. */
const idle: CheckoutState = { status: 'loading', connection: { failures: 0, error: undefined } };

/** How long a preloaded response is awaited before placeholders are shown, in ms. */
const placeholderDelayMs = 100;

/** A checkout that came with the page may be this old, in ms, and need not be read at once. */
const freshMs = 10_000;

/** Whether a checkout that came with the page may be old, as that of a page in a cache is. A wrong clock only costs a read. */
const mayBeOld = ({ server_time }: Checkout): boolean =>
  Math.abs(browserClock.wall() - Date.parse(server_time)) > freshMs;

/** Whether the page is loaded before the payer opens it. */
// eslint-disable-next-line compat/compat -- looked up first: other browsers prerender nothing
const isPrerendering = (): boolean => 'prerendering' in document && document.prerendering === true;

type SessionHost = LitElement &
  Pick<PayInvoiceOptions, 'initial' | 'transport'> & {
    readonly endpoint: string;
    readonly checkout: string;
    readonly method: string;
  };

/** Runs the session of the host's checkout while the host is connected. It is opened before the first update, and reads in it. */
export class SessionController implements ReactiveController {
  /** Undefined where the host has neither a checkout nor a transport. */
  session: CheckoutSession | undefined;
  readonly #host: SessionHost;
  readonly #emit: (event: Event) => void;
  /** The address of the open checkout. */
  #source: readonly unknown[] = [];
  /** What came with the page, and the `checkout` with which it was first seen. */
  #seen: readonly unknown[] = [];
  /** The parser may not have reached the JSON inside the tag when the element is connected. */
  readonly #onParsed = (): void => this.#host.requestUpdate('initial', null);

  constructor(host: SessionHost, emit: (event: Event) => void) {
    this.#host = host;
    this.#emit = emit;
    host.addController(this);
  }

  get state(): CheckoutState {
    return this.session?.getState() ?? idle;
  }

  /**
   * Where the page preloads the response: resolves when it has come, or after `placeholderDelayMs`. Placeholders that are
   * replaced at once would only cost a layout.
   */
  get preloaded(): Promise<unknown> | undefined {
    const { session } = this;
    const { endpoint, checkout } = this.#host;
    const preload = `link[as=fetch][href=${CSS.escape(checkoutUrl(endpoint, checkout))}]`;
    if (!session || this.state.status !== 'loading' || !document.querySelector(preload)) return undefined;
    this.#start();
    return new Promise<void>((resolve) => {
      session.subscribe(() => resolve());
      browserClock.schedule(placeholderDelayMs, resolve);
    });
  }

  hostConnected(): void {
    this.#host.requestUpdate();
    if (!this.session && !this.#host.hasUpdated) this.#open();
    addEventListener('DOMContentLoaded', this.#onParsed);
  }

  hostDisconnected(): void {
    removeEventListener('DOMContentLoaded', this.#onParsed);
    // An element that is moved is connected again at once: its requests go on.
    void Promise.resolve().then(() => {
      if (!this.#host.isConnected) this.session?.stop();
    });
  }

  /**
   * Applies changed properties of the host: opens another checkout, or updates the open checkout. Only the first update has what the page
   * had set before the element was defined, so nothing is requested before it.
   */
  apply(changed: ReadonlyMap<PropertyKey, unknown>): void {
    const { endpoint, checkout, transport, method, hasUpdated } = this.#host;
    const isOther = [endpoint, checkout].some((value, index) => value !== this.#source[index]);
    // Without a checkout's id, another transport may be that of another checkout; it waits for the result of a create request.
    const isOtherTransport = !checkout && changed.has('transport') && hasUpdated && this.state.status !== 'creating';
    const isOpened = isOther || !this.session || isOtherTransport;
    if (isOpened) this.#open();
    this.#start(); // nothing where it runs
    if (!isOpened && this.session && (changed.has('initial') || !hasUpdated)) {
      const snapshot = this.#newSnapshot();
      if (snapshot) this.session.hydrate(snapshot.checkout, snapshot.dropped);
      if (snapshot && mayBeOld(snapshot.checkout)) void this.session.refresh();
    }
    if (changed.has('method')) this.session?.prefer(method);
    if (!hasUpdated && !this.session)
      // eslint-disable-next-line no-console -- a mistake in the page's markup, which its developer has to see
      console.error('<pay-invoice> needs a checkout attribute');
    else if (!checkout && !transport) this.#close();
  }

  #close(): void {
    this.session?.stop();
    this.session = undefined;
  }

  #open(): void {
    this.#close();
    const host = this.#host;
    const { endpoint, checkout, method } = host;
    this.#source = [endpoint, checkout];
    if (!checkout && !host.transport) return;
    const ports = browserPorts({ endpoint, checkout });
    const initial = this.#newSnapshot();
    // The page may replace its transport at any time: a request under way goes on, and the next one uses the new transport.
    const current = (): typeof ports.transport => host.transport ?? ports.transport;
    const transport: typeof ports.transport = {
      read: (request, signal) => current().read(request, signal),
      createInvoice: (request, signal) => current().createInvoice(request, signal),
    };
    const session = createSession(
      { ...ports, transport },
      {
        initial: initial?.checkout,
        dropped: initial?.dropped,
        mayBeOld: initial && mayBeOld(initial.checkout),
        preferred: method,
      },
    );
    session.subscribe(() => host.requestUpdate());
    session.onEvent((event) => {
      if (session === this.session) this.#emit(toDomEvent(event));
    });
    this.session = session;
    // The session may have a state from the start. The events of that state are dispatched after the render that shows it.
    host.requestUpdate();
  }

  /** Starts now; in a page that is prerendered, once the payer opens it: until then nobody looks at it. */
  readonly #start = (): void => {
    if (isPrerendering()) document.addEventListener('prerenderingchange', this.#start, { once: true });
    else if (this.#host.isConnected) this.session?.start();
  };

  /** `initial`, or the JSON inside the tag. */
  get #snapshotSource(): unknown {
    const json = this.#host.querySelector(':scope > script[type="application/json"]')?.textContent;
    return this.#host.initial ?? json ?? undefined;
  }

  /**
   * The checkout that came with the page, if it is newer than the current state. It does not have the capability: where the page
   * changes `checkout` alone, what came with the former one is that of another order.
   */
  #newSnapshot(): DecodedCheckout | undefined {
    const source = this.#snapshotSource;
    const { checkout } = this.#host;
    if (source !== this.#seen[0]) this.#seen = [source, checkout];
    if (source === undefined || checkout !== this.#seen[1]) return undefined;
    const known = 'checkout' in this.state ? this.state.checkout : undefined;
    try {
      const decoded = decodeCheckoutJson(source);
      const { id, server_time: time } = decoded.checkout;
      const isUpdate = !known || (id === known.id && Date.parse(time) > Date.parse(known.server_time));
      return isUpdate ? decoded : undefined;
    } catch (thrown) {
      this.#emit(new CheckoutErrorEvent(CheckoutError.from(thrown)));
      return undefined;
    }
  }
}
