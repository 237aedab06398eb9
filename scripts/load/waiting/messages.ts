// Messages between the run with waiting payers and the processes that it starts.

/** A message of a server process: its URLs when it listens, or its memory in bytes. */
export interface ServerReply {
  readonly url?: string;
  readonly metrics?: string | null;
  readonly memory?: { readonly residentBytes: number; readonly heapBytes: number };
}

/** A command to a process of payers. */
export type PayersCommand =
  | {
      readonly do: 'open';
      readonly port: number;
      readonly checkoutIds: readonly string[];
      readonly perSecond: number;
      readonly waitSeconds: number;
    }
  | { readonly do: 'report' }
  | { readonly do: 'stop' };

export interface PayersReport {
  /** Payers with a first response. */
  readonly opened: number;
  readonly responses: number;
  readonly errors: number;
  readonly reasons: Readonly<Record<string, number>>;
}

export type PayersReply =
  | { readonly kind: 'report'; readonly report: PayersReport }
  /** A payer received `paid` at this time of `sharedNow`. */
  | { readonly kind: 'paid'; readonly checkoutId: string; readonly at: number };

/** Milliseconds of a clock that all processes of this machine share and that is never set. */
export const sharedNow = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;
