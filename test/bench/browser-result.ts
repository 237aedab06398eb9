import type { ProfileId } from './profiles.ts';
import type { Breakdown } from './trace-breakdown.ts';

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
  /** The tasks of the main thread until then, the probe's included. */
  readonly taskMs: number;
  /** The script among them. */
  readonly scriptMs: number;
  /** On the JavaScript heap after collections. */
  readonly heapBytes: number;
}

/** What a page needs while it waits. */
export interface Waiting {
  /** Processor time of the page's tasks, in ms a minute. */
  readonly taskMs: number;
  /** Style recalculations in the whole span. */
  readonly recalculations: number;
}

/** What was measured of one subject, a run after the other. */
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
  /** What a reader has to know about these figures alone. */
  readonly note?: string;
  /** Bytes of each subject's files in gzip. */
  readonly files: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly profiles: Readonly<Partial<Record<ProfileId, ProfileResult>>>;
}
