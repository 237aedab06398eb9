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
  percentile(part: number): number {
    if (!this.#isSorted) this.#values.sort((one, other) => one - other);
    this.#isSorted = true;
    return this.#values[Math.min(this.#values.length - 1, Math.floor(part * this.#values.length))] ?? NaN;
  }
}
