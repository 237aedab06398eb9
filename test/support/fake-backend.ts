import type { ReadAnswer, ReadRequest } from '../../src/core.ts';
import type { Checkout } from '../../src/checkout-api.ts';
import type { FakeClock } from './fake-clock.ts';

/** A backend with one checkout. It has entity tags, answers `unchanged`, and holds long polls. */
export class FakeBackend {
  /** Whether reads with `Prefer: wait` are held; a backend may ignore that header. */
  holds = true;
  #checkout: Checkout;
  #version = 1;
  #releases = new Set<() => void>();
  /** The invoice's deadline on the fake clock, which is also the server's. */
  #deadline: number | undefined;
  readonly #clock: FakeClock;

  constructor(clock: FakeClock, checkout: Checkout) {
    this.#clock = clock;
    this.#checkout = checkout;
    this.#setDeadline(checkout);
  }

  get etag(): string {
    return `"${this.#version}"`;
  }

  /** Changes the checkout, and responds to the reads that are held. */
  set(checkout: Checkout): void {
    this.#checkout = checkout;
    this.#version += 1;
    this.#setDeadline(checkout);
    for (const release of [...this.#releases]) release();
  }

  /** The checkout, whose invoice has the time that remains now. */
  snapshot(): Checkout {
    const { invoice } = this.#checkout;
    if (invoice === null || this.#deadline === undefined) return this.#checkout;
    const expires_in_ms = Math.max(0, Math.round(this.#deadline - this.#clock.now()));
    return { ...this.#checkout, invoice: { ...invoice, expires_in_ms } };
  }

  readonly read = async ({ etag, waitSeconds = 0 }: ReadRequest): Promise<ReadAnswer> => {
    if (etag === this.etag && waitSeconds > 0 && this.holds) await this.#waitForChange(waitSeconds * 1000);
    if (etag === this.etag) return { kind: 'unchanged' };
    return { kind: 'checkout', checkout: this.snapshot(), etag: this.etag };
  };

  #setDeadline({ invoice }: Checkout): void {
    const remainingMs = invoice?.expires_in_ms;
    this.#deadline = remainingMs === undefined ? undefined : this.#clock.now() + remainingMs;
  }

  #waitForChange(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const release = (): void => {
        cancel();
        this.#releases.delete(release);
        resolve();
      };
      const cancel = this.#clock.schedule(ms, release);
      this.#releases.add(release);
    });
  }
}
