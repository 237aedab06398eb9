/** Counts of a page's work. Unlike durations, counts do not depend on the speed and the load of the machine. */
export interface Work {
  /** Files and API addresses that were requested. */
  readonly requests: number;
  /** Modules whose script was compiled. */
  readonly modules: number;
  readonly styleRecalculations: number;
  readonly layouts: number;
  /** Formatters and other objects of `Intl` that were constructed. */
  readonly intlConstructions: number;
}

interface Budget {
  /** The most that may be loaded, in bytes of gzip. */
  readonly bytes: number;
  /** The most calls of `setTimeout` and `setInterval`. */
  readonly timers: number;
  /**
   * Exact counts: a higher count is a regression, a lower count becomes the new budget. The counts of style and layout are
   * maxima, because two lazily loaded files may arrive in either order. The second file adds to the screen of the first, which
   * takes a style recalculation more than one file would.
   */
  readonly work: Work;
}

const daysLeft = {
  bytes: 50_700,
  timers: 8,
  work: { requests: 5, modules: 3, styleRecalculations: 7, layouts: 4, intlConstructions: 3 },
} as const satisfies Budget;

/** The budgets of visits to the file for a CDN, in Russian. */
export const budgets = {
  /** Until the options are painted. Files that are loaded lazily are held back until then. */
  options: {
    bytes: 29_000,
    timers: 3,
    work: { requests: 4, modules: 1, styleRecalculations: 4, layouts: 2, intlConstructions: 0 },
  },
  /** Until the QR of an invoice with days left is painted. Two formatters write the time left, a third one the deadline. */
  daysLeft,
  /** Until the QR of an invoice that ends within the hour is painted. It needs no formatter. */
  minutesLeft: { ...daysLeft, work: { ...daysLeft.work, intlConstructions: 0 } },
} as const satisfies Readonly<Record<string, Budget>>;

/**
 * Maxima for a minute of waiting in which the backend sends no response. The time left takes one timer a second, and changes only
 * a text node, for which no styles are recalculated; the bar below it takes a recalculation every 15 s.
 */
export const minuteBudget = { requests: 4, timers: 85, styleRecalculations: 10, animations: 0 } as const;
