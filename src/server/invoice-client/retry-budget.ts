/** How many repeats the calls of one client may add to its traffic. */
export interface RetryBudgetSettings {
  /** What each call earns towards a repeat. */
  readonly perCall: number;
  /** The most that is kept, and what there is at the start: the burst that a short fault may cost. */
  readonly reserve: number;
}

/**
 * A token bucket over all calls of a client: in an outage, when every call fails, repeats are at most
 * `reserve + perCall × calls`, whatever each call would like.
 */
export interface RetryBudget {
  /** Counts a call. */
  earn(): void;
  /** Takes one repeat, or says that there is none left. */
  spend(): boolean;
}

export function createRetryBudget({ perCall, reserve }: RetryBudgetSettings): RetryBudget {
  let balance = reserve;
  return {
    earn: () => {
      balance = Math.min(reserve, balance + perCall);
    },
    spend: () => {
      // Stryker disable next-line EqualityOperator: The tolerance covers floating point errors; no balance equals it exactly.
      if (balance < 1 - 1e-9) return false; // ten times 0.1 is a little less than 1
      balance -= 1;
      return true;
    },
  };
}
