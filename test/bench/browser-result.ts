/** What was seen at a moment of a visit. */
export interface Moment {
  /** From the start of the navigation, or from the click. */
  readonly ms: number;
  /** Begun until then (from the click on, where there was one). */
  readonly requests: number;
  /** Over the wire in answers that were complete by then, headers included. */
  readonly bytes: number;
}

/** A moment right after which the page was weighed. */
export interface WeighedMoment extends Moment {
  /** Script that had run, the probe's included. */
  readonly scriptMs: number;
  /** On the JavaScript heap after collections. */
  readonly heapBytes: number;
}

/** What was measured of one subject, a run after the other. */
export interface SubjectResult {
  /** Bytes of its files in gzip. */
  readonly files: Readonly<Record<string, number>>;
  /** Navigation to the methods. */
  readonly options: WeighedMoment[];
  /** Click to the QR. */
  readonly click: Moment[];
  /** Navigation to the QR of an invoice that waits already. */
  readonly resume: WeighedMoment[];
  /** Processor time of the page's tasks while it waits, ms a minute. */
  readonly waiting: number[];
}

/** What `npm run bench` writes to results/browser.json. */
export interface BrowserResult {
  readonly command: string;
  readonly date: string;
  readonly machine: string;
  readonly loadAverage: string;
  readonly node: string;
  readonly browser: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly waitSeconds: number;
  readonly subjects: Readonly<Record<string, SubjectResult>>;
}
