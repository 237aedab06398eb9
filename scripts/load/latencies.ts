/** Durations in milliseconds, and their percentiles. */
export class Latencies {
  readonly #values: number[] = [];
  #isSorted = true;

  add(ms: number): void {
    this.#values.push(ms);
    this.#isSorted = false;
  }

  get count(): number {
    return this.#values.length;
  }

  /** The percentile of a `part` from 0 to 1; NaN without values. */
  percentile(share: number): number {
    if (!this.#isSorted) this.#values.sort((a, b) => a - b);
    this.#isSorted = true;
    return this.#values[Math.min(this.#values.length - 1, Math.floor(share * this.#values.length))] ?? NaN;
  }
}
