// The disturbances of load runs: what each does, how many payers it is for, and what must hold.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../../src/tools/conformance/sandbox-client.ts';
import {
  countBad,
  delayOf,
  percentile,
  recoverySeconds,
  partOf,
  secondsUntilAsBefore,
  splitResults,
  sumOf,
  toldWithin,
  type PaymentTimes,
  type Recording,
  type Sample,
} from './judge.ts';
import type { LoadPrograms } from './start-load-programs.ts';

/** What a run has recorded, and when its parts began, in seconds since its start. */
export interface Run extends Recording {
  /** How long after the first arrival all payers were served; undefined: not within the time. */
  readonly heldAfter?: number;
  readonly disturbedAt: number;
  readonly endedAt: number;
  /** How often a session emitted `paid` although nobody had paid. */
  readonly wronglyTold: number;
  /** The order of each outcome `paid` that the shop can read in the end; undefined when it cannot read them. */
  readonly paidOrders: readonly string[] | undefined;
  /** Why the run ended early. */
  readonly failure: string | undefined;
}

/** What must hold, and how it is measured. */
export interface Requirement {
  readonly text: string;
  readonly measure: (run: Run) => { readonly measured: string; readonly holds: boolean };
}

export interface Disturbance {
  /** What happens. */
  readonly title: string;
  readonly payers: number;
  readonly servers: number;
  readonly postgres?: true;
  readonly proxy?: true;
  /** How long it lasts by default. */
  readonly seconds?: number;
  /** What is measured before the payers arrive, and given to `disturb`. */
  readonly prepare?: (programs: LoadPrograms) => Promise<number>;
  /** Resolves when the disturbance is over. */
  readonly disturb: (programs: LoadPrograms, seconds: number, prepared: number) => Promise<void>;
  readonly mustHold: readonly Requirement[];
}

const inTime = (seconds: number, limit: number): ReturnType<Requirement['measure']> => ({
  measured: Number.isFinite(seconds) ? `${seconds.toFixed(1)} s` : 'not seen',
  holds: seconds <= limit,
});
const share = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} % of ${whole}`;
const none = (count: number, of: string): ReturnType<Requirement['measure']> => ({
  measured: count === 0 ? 'none' : `${count} ${of}`,
  holds: count === 0,
});
const during = ({ samples }: Run, from: number, to = Infinity): readonly Sample[] =>
  samples.filter(({ at }) => at > from && at <= to);
const failedOf = (samples: readonly Sample[], kind: 'reads' | 'creates'): number =>
  sumOf(samples.map((sample) => splitResults(sample[kind]).failed));

const asBefore = (limit: number): Requirement => ({
  text: `everything is as before within ${limit} s`,
  measure: (run) => inTime(secondsUntilAsBefore(run, run.endedAt), limit),
});
const servedAgain = (limit: number): Requirement => ({
  text: `99 % of the payers are served again within ${limit} s`,
  measure: (run) => inTime(recoverySeconds(run, run.endedAt, 'served'), limit),
});
const current = (limit: number): Requirement => ({
  text: `all payers see current data within ${limit} s`,
  measure: (run) =>
    inTime(
      recoverySeconds(run, run.endedAt, ({ stale }) => stale === 0),
      limit,
    ),
});
const toldInTime = (part: string, isMeant: (payment: PaymentTimes, run: Run) => boolean): Requirement => ({
  text: `from the payment to the payer at most ${toldWithin} s (p99)${part}`,
  measure(run) {
    const delays = run.payments.flatMap((payment) => (isMeant(payment, run) ? [delayOf(payment)] : []));
    return inTime(percentile(delays, 0.99), toldWithin);
  },
});
const noFailed = (kind: 'reads' | 'creates', text: string, from: (run: Run) => number = () => 0): Requirement => ({
  text,
  measure: (run) => none(failedOf(during(run, from(run)), kind), kind),
});
const pollsUntouched: Requirement = {
  text: 'meanwhile 99 % of the payers are served all the time, and no read fails then or later',
  measure(run) {
    const failed = failedOf(during(run, run.disturbedAt), 'reads');
    const unserved = countBad(run, 'served', run.disturbedAt, run.endedAt);
    return { measured: `${failed} failed reads, ${unserved} s with fewer served`, holds: failed + unserved === 0 };
  },
};

/** What must hold after every disturbance. */
export const toldOnce: Requirement = {
  text: 'every payment is told once, to the payer and to the shop',
  measure({ payments, paidOrders, wronglyTold }) {
    const untold = payments.filter(({ toldAt }) => toldAt === undefined).length;
    const distinct = new Set(paidOrders).size;
    const missing = Math.max(0, payments.length - distinct);
    const twice = (paidOrders?.length ?? 0) - distinct;
    const shop =
      paidOrders === undefined
        ? 'the shop cannot read its outcomes'
        : `to the shop ${missing} not told, ${twice} told twice`;
    return {
      measured: `${payments.length} payments: ${untold} payers not told, ${wronglyTold} told without a payment; ${shop}`,
      holds: untold === 0 && wronglyTold === 0 && missing === 0 && twice === 0,
    };
  },
};

const setFault =
  (fault: Fault): Disturbance['disturb'] =>
  async ({ sandbox }, seconds) => {
    const active = await sandbox.setFault(fault);
    await sleep(seconds * 1000);
    await active.end();
  };
const restartPostgres =
  (signal: 'SIGINT' | 'SIGQUIT'): Disturbance['disturb'] =>
  async ({ postgres }, seconds) =>
    postgres?.restart(signal, seconds * 1000);

const onPostgres = { payers: 3000, servers: 2, postgres: true, mustHold: [asBefore(30)] } as const;

/** How long the servers of a deploy run between two restarts. */
const betweenRestartsMs = 5000;
/** The buyers whose orders show what the servers can carry, and for how long. */
const capacityBuyers = 32;
const capacitySeconds = 10;

export const disturbances = {
  none: {
    title: 'none',
    payers: 10_000,
    servers: 2,
    postgres: true,
    disturb: () => Promise.resolve(),
    mustHold: [
      {
        text: 'all payers are served within 3 minutes',
        measure: ({ heldAfter = Infinity }) => inTime(heldAfter, 180),
      },
      toldInTime('', () => true),
      noFailed('reads', 'no read fails'),
      noFailed('creates', 'no order and no create request fails'),
    ],
  },
  deploy: {
    title: 'SIGTERM of each server in turn',
    payers: 5000,
    servers: 2,
    postgres: true,
    proxy: true,
    async disturb({ servers }) {
      for (const [position, server] of servers.entries()) {
        if (position > 0) await sleep(betweenRestartsMs);
        await server.restart();
      }
    },
    mustHold: [
      toldInTime(' but for the restart itself', (payment, run) => partOf(payment, run) !== 1),
      noFailed('creates', 'no order and no create request fails from then on', ({ disturbedAt }) => disturbedAt),
      asBefore(60),
    ],
  },
  kill: {
    title: 'kill -9 and start of a single server',
    payers: 3000,
    servers: 1,
    disturb: async ({ servers }) => servers[0]?.restart('SIGKILL'),
    mustHold: [servedAgain(30), asBefore(60)],
  },
  'postgres-fast': {
    ...onPostgres,
    title: 'PostgreSQL restarted (fast)',
    seconds: 0,
    disturb: restartPostgres('SIGINT'),
  },
  'postgres-immediate': {
    ...onPostgres,
    title: 'PostgreSQL restarted (immediate)',
    seconds: 0,
    disturb: restartPostgres('SIGQUIT'),
  },
  'postgres-away': { ...onPostgres, title: 'PostgreSQL away', seconds: 60, disturb: restartPostgres('SIGINT') },
  'service-away': {
    title: 'the service away',
    payers: 10_000,
    servers: 2,
    postgres: true,
    seconds: 60,
    disturb: setFault({ kind: 'reset' }),
    mustHold: [current(15), pollsUntouched],
  },
  'service-slow': {
    title: 'the service takes 5 s to answer',
    payers: 10_000,
    servers: 2,
    postgres: true,
    seconds: 60,
    disturb: setFault({ kind: 'latency', ms: 5000 }),
    mustHold: [current(15), pollsUntouched],
  },
  'connections-cut': {
    title: 'every connection cut at once by the proxy',
    payers: 10_000,
    servers: 2,
    postgres: true,
    proxy: true,
    async disturb({ proxies }) {
      await Promise.all(proxies.map((proxy) => proxy.cutConnections()));
    },
    mustHold: [asBefore(60)],
  },
  overload: {
    title: 'three times the orders that can be carried',
    payers: 2000,
    servers: 2,
    postgres: true,
    seconds: 120,
    async prepare({ payers }) {
      const perSecond = await Promise.all(
        payers.map((group) => group.call('measureCapacity', capacityBuyers / payers.length, capacitySeconds)),
      );
      return sumOf(perSecond);
    },
    async disturb({ payers }, seconds, capacity) {
      await Promise.all(payers.map((group) => group.call('overload', (3 * capacity) / payers.length, seconds)));
    },
    mustHold: [
      {
        text: 'of the admitted orders 80 % have an invoice within 3 s',
        measure(run) {
          const all = during(run, run.disturbedAt, run.endedAt).flatMap(({ invoiceMs }) => invoiceMs);
          const fast = all.filter((ms) => ms <= 3000).length;
          return { measured: share(fast, all.length), holds: fast >= 0.8 * all.length };
        },
      },
      {
        text: 'what is refused is answered with 503 within 1 s (p99), and nothing else fails',
        measure(run) {
          const samples = during(run, run.disturbedAt, run.endedAt);
          const refused = samples.flatMap(({ refusedMs }) => refusedMs);
          const others = failedOf(samples, 'creates') - refused.length;
          const p99 = refused.length === 0 ? 0 : percentile(refused, 0.99) / 1000;
          return {
            measured: `${refused.length} after ${p99.toFixed(1)} s; ${others} others`,
            holds: p99 <= 1 && others === 0,
          };
        },
      },
      asBefore(60),
    ],
  },
  restart: {
    title: 'SIGTERM and start of one server on SQLite',
    payers: 2000,
    servers: 1,
    disturb: async ({ servers }) => servers[0]?.restart(),
    mustHold: [asBefore(30)],
  },
} satisfies Readonly<Record<string, Disturbance>>;
