import { SeededRandom } from '../support/seeded-random.ts';

const disturbances = [
  'the server restarts',
  'the database is away',
  'all connections are cut',
  'many orders come at once',
] as const;

/** Everything that a run of the load depends on. To keep a run short, a tenth of the payers cost ten times as much each. */
export interface LoadPlan {
  readonly seed: number;
  readonly payers: number;
  readonly disturbance: (typeof disturbances)[number];
  /** How long the server or the database is away, or more orders come, in ms. */
  readonly lastsMs: number;
  /** How long a request occupies the event loop until it is handled, in ms. Other work takes a part of it. */
  readonly requestMs: number;
  /** How long a turn of the event loop takes besides its tasks, in ms. */
  readonly turnMs: number;
  /** How many connections to the database there are. */
  readonly pool: number;
  /** How long the database works for a read, in ms. */
  readonly databaseMs: number;
}

/** By how much fewer payers there are than in reality. Lengths of queues are divided by it. */
export const scale = 10;
/** How long the read of a payer who waits is held, in ms. */
const heldMs = 25_000;
/** In the calm, neither the event loop nor the database is busier than this. */
const maxBusy = 0.6;
/** Within this time, in ms, the server can accept the connections of all payers anew. The system has 60 s to come back. */
const acceptedWithinMs = 50_000;

/** How many payers who wait the server carries, even if it reads the database for each of their requests. */
function capacityOf({ requestMs, turnMs, pool, databaseMs }: Omit<LoadPlan, 'payers'>): number {
  const busyTurnMs = turnMs + requestMs * 3;
  const readers = Math.max(1, Math.floor(pool * 0.4));
  const loop = (maxBusy * heldMs) / (requestMs * 2);
  const database = (maxBusy * heldMs * readers) / (databaseMs + busyTurnMs);
  return Math.min(loop, database, acceptedWithinMs / busyTurnMs);
}

/** The plan of a seed, with nearly as many payers as the server carries in the calm. */
export function loadPlanOf(seed: number): LoadPlan {
  const random = new SeededRandom(seed);
  for (;;) {
    const plan = {
      seed,
      disturbance: random.pick(disturbances),
      lastsMs: random.int(2000, 8000),
      requestMs: random.int(5, 25),
      turnMs: random.int(20, 200),
      pool: random.int(5, 12),
      databaseMs: random.int(5, 100),
    };
    const payers = Math.round(capacityOf(plan) * (0.8 + random.next() * 0.2));
    if (payers > 100 && payers < 500) return { ...plan, payers };
  }
}
