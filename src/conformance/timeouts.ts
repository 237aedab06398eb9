/** How long things take, in milliseconds; a test of the run itself makes them shorter. */
export interface Tempo {
  /** How long a change may take from the service to the payer. */
  readonly patienceMs: number;
  /** Between two looks at a checkout that is to change. */
  readonly pollMs: number;
  /** After which nothing more is expected to happen. */
  readonly settleMs: number;
  /** After which the fields of the clock have certainly moved. */
  readonly tickMs: number;
  /** What an answer may take beyond its work: the network and a slow machine. */
  readonly slackMs: number;
  /** The `Prefer: wait` that is asked for, in seconds. */
  readonly waitSeconds: number;
  /** How long an invoice of the sandbox lives where its expiry is looked at. */
  readonly lifetimeMs: number;
}

export const defaultTempo: Tempo = {
  patienceMs: 30_000,
  pollMs: 300,
  settleMs: 4000,
  tickMs: 1100,
  slackMs: 2500,
  waitSeconds: 2,
  lifetimeMs: 3000,
};
