import type { ProfileId } from './profiles.ts';
import type { Breakdown } from './trace-breakdown.ts';

/** The time of a moment of a visit, and what had been loaded by then. */
export interface Moment {
  /** From the start of the navigation, or from the click. */
  readonly ms: number;
  /** Requests begun by then; after a click, only those since the click. */
  readonly requests: number;
  /** Bytes over the wire of the responses that were complete by then, headers included. */
  readonly bytes: number;
}

/** A moment with the page's main-thread time and memory right after it. */
export interface WeighedMoment extends Moment {
  /** Time of the main thread's tasks until then, those of the probe included. */
  readonly taskMs: number;
  /** The part of it that is script. */
  readonly scriptMs: number;
  /** Bytes on the JavaScript heap after garbage collections. */
  readonly heapBytes: number;
}

/** The work of a page that waits. */
export interface Waiting {
  /** Processor time of the page's tasks, in ms a minute. */
  readonly taskMs: number;
  /** Style recalculations in the whole span. */
  readonly recalculations: number;
}

/** The measurements of one subject, with one entry for each run. */
export interface SubjectResult {
  /** Navigation to the options. */
  readonly options: WeighedMoment[];
  /** Click to the QR. */
  readonly click: Moment[];
  /** Navigation to the QR of an invoice that waits already. */
  readonly resume: WeighedMoment[];
  readonly waiting: Waiting[];
  /** Where the main thread's time went until the options, and until the QR of a waiting invoice: one visit each. */
  readonly traces: { options?: Breakdown; resume?: Breakdown };
}

export interface ProfileResult {
  readonly subjects: Readonly<Record<string, SubjectResult>>;
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
  /** A remark on these figures for the reader. */
  readonly note?: string;
  /** Bytes of each subject's files in gzip. */
  readonly files: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly profiles: Readonly<Partial<Record<ProfileId, ProfileResult>>>;
}
