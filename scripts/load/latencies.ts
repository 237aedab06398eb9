/** Times in milliseconds, and how they are spread. */
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

  /** So much of 1 is at most this; NaN when there is nothing. */
  percentile(part: number): number {
    if (!this.#isSorted) this.#values.sort((one, other) => one - other);
    this.#isSorted = true;
    return this.#values[Math.min(this.#values.length - 1, Math.floor(part * this.#values.length))] ?? NaN;
  }
}
