/** A moment, in milliseconds since 1970, and the invoice whose time is over then. */
interface Deadline {
  readonly at: number;
  readonly id: string;
}

/** The deadlines of pending invoices in their order. One that no longer counts is dropped when its turn comes. */
export class Pending {
  readonly #deadlines: Deadline[] = [];
  readonly #counts: (deadline: Deadline) => boolean;

  constructor(counts: (deadline: Deadline) => boolean) {
    this.#counts = counts;
  }

  add(deadline: Deadline): void {
    let place = this.#deadlines.length;
    while (place > 0 && (this.#deadlines[place - 1]?.at ?? 0) > deadline.at) place -= 1;
    this.#deadlines.splice(place, 0, deadline);
  }

  /** The earliest deadline. */
  next(): number | undefined {
    let [first] = this.#deadlines;
    while (first !== undefined && !this.#counts(first)) {
      this.#deadlines.shift();
      [first] = this.#deadlines;
    }
    return first?.at;
  }

  /** The invoices whose deadline has come, the earliest first, each once. */
  due(now: number): readonly string[] {
    const end = this.#deadlines.findIndex(({ at }) => at > now);
    const due = end === -1 ? this.#deadlines : this.#deadlines.slice(0, end);
    return [...new Set(due.filter((deadline) => this.#counts(deadline)).map(({ id }) => id))];
  }
}
