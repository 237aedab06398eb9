/** How often the page asks again by itself, in milliseconds: sooner while somebody waits for a payment. */
const refreshMs = 15_000;
const refreshAwaitedMs = 3000;
/** A delivery that is asked for is sent within this time, in milliseconds; one that waits for another one, or for a retry that is due soon, within the second. */
const deliveryMs = 1200;
const lateDeliveryMs = 4000;

/** Brings the page up to date again and again: a pause after the last time, and at once when somebody looks at it again. */
export class Refresher {
  readonly #refresh: () => Promise<void>;
  readonly #isAwaited: () => boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param refresh - may do nothing, and does not reject */
  constructor(refresh: () => Promise<void>, isAwaited: () => boolean) {
    this.#refresh = refresh;
    this.#isAwaited = isAwaited;
    document.addEventListener('visibilitychange', this.refreshNow);
  }

  /** Begins the pause anew. */
  schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.refreshNow, this.#isAwaited() ? refreshAwaitedMs : refreshMs);
  }

  /** Call it when a delivery was asked for. Resolves when it may have been sent, and brings a late one up to date. */
  async followDelivery(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, deliveryMs));
    setTimeout(this.refreshNow, lateDeliveryMs);
  }

  readonly refreshNow = (): void => void this.#refresh().then(() => this.schedule());
}
