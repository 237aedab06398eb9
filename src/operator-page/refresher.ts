/** How often the page asks again by itself, in milliseconds: sooner while somebody waits for a payment. */
const refreshMs = 15_000;
const refreshAwaitedMs = 3000;

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

  readonly refreshNow = (): void => void this.#refresh().then(() => this.schedule());
}
