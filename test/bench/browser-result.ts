import type { ProfileId } from './profiles.ts';
import type { Breakdown } from './trace-breakdown.ts';

/** When something appeared in a visit, and what the page had requested and loaded by then. */
export interface Moment {
  /** From the start of the navigation, or from the click. */
  readonly ms: number;
  /** How many requests had begun; after a click, only those since the click. */
  readonly requests: number;
  /** Bytes over the wire of the responses that were complete, headers included. */
  readonly bytes: number;
}

/** A moment with the page's main-thread time and memory right after it. */
export interface WeighedMoment extends Moment {
  /** The time of the main thread's tasks until the moment, those of the probe included. */
  readonly taskMs: number;
  /** The part of `taskMs` that is script. */
  readonly scriptMs: number;
  /** Bytes on the JavaScript heap after garbage collections. */
  readonly heapBytes: number;
}

/** The measurements of one subject, with one entry for each run. */
export interface SubjectResult {
  /** From the navigation until the options are visible. */
  readonly options: WeighedMoment[];
  /** From the click until the QR is visible. */
  readonly click: Moment[];
  /** From the navigation until the QR of an invoice that already exists is visible. */
  readonly resume: WeighedMoment[];
  /** From the navigation until the requisites of an invoice without a QR are visible. */
  readonly requisites: WeighedMoment[];
  /** From a click in the frame in which the options are seen until its request is sent, in ms. */
  readonly live: number[];
  /** Where the main thread's time went until the options, and until the QR of a waiting invoice, each in one visit. */
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
  /** A remark on these figures for the reader. */
  readonly note?: string;
  /** Bytes of each subject's files in brotli. */
  readonly files: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly profiles: Readonly<Partial<Record<ProfileId, ProfileResult>>>;
}
