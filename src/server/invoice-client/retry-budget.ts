/** The maximum wait before the second try, in milliseconds. It doubles with each further try. */
const baseMs = 200;
/** The limit of the doubled maximum, in milliseconds. A `Retry-After` may be longer. */
const capMs = 3_000;

/**
 * The wait before the next try in milliseconds: capped exponential backoff with full jitter, evenly distributed from
 * 0 up to `min(capMs, baseMs × 2^(tries-1))`.
 * @param tries The number of failed tries, at least 1.
 * @param random A number from 0 (inclusive) to 1 (exclusive).
 */
export function backoffMs(tries: number, random: number): number {
  return Math.min(capMs, baseMs * 2 ** Math.min(tries - 1, 100)) * random;
}

/** The initial and the maximum balance: the retries that are allowed in a burst. */
const reserve = 5;
/** The fraction of a retry that each call adds to the balance. */
const perCall = 0.1;
/** How far tries without the QR may overdraw the balance. */
const overdraft = 20;

/**
 * A token bucket for the retries of all calls of a client. During an outage there are at most `reserve + perCall × calls`
 * retries, and of creates with a QR at most `overdraft` more.
 */
export interface RetryBudget {
  /** Adds to the balance. Call it once for every call. */
  earn(): void;
  /** Takes one retry from the balance; returns false when none is left. A try without the QR may overdraw the balance. */
  spend(isWithoutQr?: boolean): boolean;
  /** Gives a retry back, because the QR was its cause and not an outage. */
  refund(): void;
}

export function createRetryBudget(): RetryBudget {
  let balance = reserve;
  const add = (retries: number): void => {
    balance = Math.min(reserve, balance + retries);
  };
  return {
    earn: () => add(perCall),
    spend(isWithoutQr = false) {
      if (balance + (isWithoutQr ? overdraft : 0) < 1 - 1e-9) return false; // ten times 0.1 is a little less than 1
      balance -= 1;
      return true;
    },
    refund: () => add(1),
  };
}
