/** The work of a page until a moment. Counts, unlike times, are the same on a slow and on a busy machine. */
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
   * Exact counts: a higher one is a regression, a lower one becomes the new budget. Those of style and layout are maxima,
   * because two lazily loaded files may arrive in either order.
   */
  readonly work: Work;
}

const waiting = {
  bytes: 44_900,
  timers: 8,
  work: { requests: 5, modules: 3, styleRecalculations: 5, layouts: 3, intlConstructions: 3 },
} as const satisfies Budget;

/** The budgets of visits to the file for a CDN, in Russian. */
export const budgets = {
  /** Until the options are painted. Files that are loaded lazily are held back until then. */
  options: {
    bytes: 28_600,
    timers: 3,
    work: { requests: 5, modules: 1, styleRecalculations: 4, layouts: 2, intlConstructions: 0 },
  },
  /** Until the QR of a waiting invoice is painted. Two formatters write its time left in days and hours, one its deadline. */
  waiting,
  /** Of an invoice that ends within the hour: nothing of it needs a formatter. */
  counting: { ...waiting, work: { ...waiting.work, intlConstructions: 0 } },
} as const satisfies Readonly<Record<string, Budget>>;

/** The most in a minute of waiting while the backend holds its responses back: a timer a second for the time left. */
export const minuteBudget = { requests: 4, timers: 85 } as const;
