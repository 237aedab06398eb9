import type { Ports } from './ports.ts';
import type { CheckResult } from './report.ts';
import type { Tempo } from './timeouts.ts';

/** What kind of order is opened: one with a price, or one whose amount the payer types. */
export type OrderKind = 'priced' | 'typed';

/** What is tested, and with what. */
export interface ConformanceOptions {
  /** Where the checkout API is mounted, such as `http://localhost:8080/checkout`. */
  readonly endpoint: string;
  /** Fresh checkouts with a price, as capabilities. */
  readonly checkouts?: readonly string[];
  /** Fresh checkouts whose amount the payer types. */
  readonly typedCheckouts?: readonly string[];
  /** Opens one more fresh checkout and resolves with its capability; undefined when it cannot open this kind. */
  readonly open?: (kind: OrderKind) => Promise<string | undefined>;
  /** The address of the sandbox that the backend uses as its invoice service. */
  readonly sandbox?: string | undefined;
  /** The backend's access token: no answer may hold it. It is sent nowhere. */
  readonly token?: string | undefined;
  /** Ids of checks, or their parts before the dot; all when undefined. */
  readonly only?: readonly string[] | undefined;
  /** Also the checks that take half a minute each. */
  readonly slow?: boolean;
  /** Gives the run up: it rejects with `CannotRun`, and takes back what it has set in the sandbox. */
  readonly signal?: AbortSignal | undefined;
  /** Hears of each result as it comes. */
  readonly onResult?: (result: CheckResult) => void;
  readonly tempo?: Partial<Tempo>;
  readonly ports?: Partial<Ports>;
}
