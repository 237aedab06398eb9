import type { LitElement, ReactiveController } from 'lit';
import { browserPorts, decodeInitialCheckout } from '../../client.ts';
import { CheckoutError, createSession, type CheckoutSession, type CheckoutState } from '../../core.ts';
import type { Checkout } from '../../protocol.ts';
import { CheckoutErrorEvent, toDomEvent } from '../pay-invoice.events.ts';
import { onServer } from '../on-server.ts';
import type { PayInvoiceOptions } from '../pay-invoice-options.ts';

/** The properties that determine the checkout, and the connection to it. */
const connectionProperties = ['endpoint', 'checkout', 'transport'] as const;

/** The state without a checkout: nothing is requested. */
const idle: CheckoutState = { status: 'loading', connection: { failures: 0, error: undefined } };

type SessionHost = LitElement &
  Pick<PayInvoiceOptions, 'initial' | 'transport'> & {
    readonly endpoint: string;
    readonly checkout: string;
    readonly method: string;
  };

/** Runs the session of the host's checkout while the host is connected. */
export class SessionController implements ReactiveController {
  /** Undefined where the host has neither a checkout nor a transport. */
  session: CheckoutSession | undefined;
  readonly #host: SessionHost;
  readonly #emit: (event: Event) => void;

  constructor(host: SessionHost, emit: (event: Event) => void) {
    this.#host = host;
    this.#emit = emit;
    host.addController(this);
  }

  get state(): CheckoutState {
    return this.session?.getState() ?? idle;
  }

  hostConnected(): void {
    this.#host.requestUpdate();
    this.session?.start();
  }

  hostDisconnected(): void {
    this.session?.stop();
  }

  /** Applies changed properties of the host: opens another checkout, or updates the one that is open. */
  apply(changed: ReadonlyMap<PropertyKey, unknown>): void {
    if (!this.#host.hasUpdated || connectionProperties.some((name) => changed.has(name))) this.#open();
    else {
      const snapshot = changed.has('initial') && this.#newSnapshot();
      if (snapshot) this.session?.hydrate(snapshot);
      if (changed.has('method')) this.session?.prefer(this.#host.method);
    }
  }

  #open(): void {
    this.session?.stop();
    this.session = undefined;
    const { endpoint, checkout, transport, method, isConnected } = this.#host;
    if (checkout === '' && transport === undefined) {
      // eslint-disable-next-line no-console -- a mistake in the page's markup, which its developer has to see
      console.error('<pay-invoice> needs a checkout attribute');
      return;
    }
    const ports = browserPorts({ endpoint, checkout }, transport && { transport });
    const session = createSession(ports, { initial: this.#newSnapshot(), preferred: method });
    session.subscribe(() => this.#host.requestUpdate());
    session.onEvent((event) => {
      if (session === this.session) this.#emit(toDomEvent(event));
    });
    this.session = session;
    if (isConnected) session.start();
  }

  /** `initial`, or the JSON inside the tag, when it belongs to this checkout and is newer than the current state. */
  #newSnapshot(): Checkout | undefined {
    const { initial, checkout } = this.#host;
    const known = 'checkout' in this.state ? this.state.checkout : undefined;
    const json = onServer
      ? undefined
      : this.#host.querySelector(':scope > script[type="application/json"]')?.textContent;
    if (initial === undefined && json == null) return undefined;
    try {
      const snapshot = decodeInitialCheckout(initial ?? json);
      if (snapshot.id !== (checkout || (known?.id ?? snapshot.id))) return undefined;
      return known && Date.parse(snapshot.server_time) <= Date.parse(known.server_time) ? undefined : snapshot;
    } catch (thrown) {
      this.#emit(new CheckoutErrorEvent(CheckoutError.from(thrown)));
      return undefined;
    }
  }
}
