/** Durations in milliseconds, and their percentiles. */
export class Latencies {
  readonly #sortedValues: readonly number[];

  constructor(values: readonly number[]) {
    this.#sortedValues = [...values].sort((a, b) => a - b);
  }

  get count(): number {
    return this.#sortedValues.length;
  }

  /** The percentile of a `share` from 0 to 1; NaN without values. */
  percentile(share: number): number {
    return this.#sortedValues[Math.min(this.count - 1, Math.floor(share * this.count))] ?? NaN;
  }
}
