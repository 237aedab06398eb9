import { z } from 'zod';
import { resolveWithin } from '../../base/clock.ts';
import { strictObject } from '../domain/strict-object.ts';
import type { FeedOutcome, OutcomeRecord } from '../ports/outcome-outbox.ts';
import type { ServerContext } from '../server-context.ts';
import { parse } from './create-and-list-checkouts.ts';

/** What `outcomes` selects. */
export interface OutcomesQuery {
  /** The cursor of the last outcome that was read; undefined: from the first one. */
  readonly after?: string | undefined;
  /** How many outcomes a page has, from 1 to 500; 100 by default. */
  readonly limit?: number | undefined;
  /** How long to wait for an outcome when there is none, up to 30,000 ms; 0 by default. */
  readonly waitMs?: number | undefined;
}

/** A page of the feed: outcomes of all checkouts in one order. */
export interface OutcomePage {
  readonly outcomes: readonly (OutcomeRecord & { readonly cursor: string })[];
  /** The cursor for the next call: that of the last outcome, or `after` when there is none. null: nothing was read yet. */
  readonly nextCursor: string | null;
}

const limitRule = 'must be a whole number from 1 to 500';
const waitRule = 'must be a whole number of milliseconds from 0 to 30000';
const outcomesQuery = strictObject({
  after: z
    .string('must be a cursor of an outcome')
    .regex(/^\d{1,15}$/, 'must be a cursor of an outcome')
    .optional(),
  limit: z.int(limitRule).min(1, limitRule).max(500, limitRule).default(100),
  waitMs: z.int(waitRule).min(0, waitRule).max(30_000, waitRule).default(0),
} satisfies Record<keyof OutcomesQuery, z.ZodType>);

/** How often a waiting call reads, because a notification may be lost. */
const readIntervalMs = 1000;

export interface OutcomeFeed {
  read(query?: OutcomesQuery): Promise<OutcomePage>;
  /** Call it when outcomes may have been saved. */
  wake(): void;
  /** Ends the waits. */
  stop(): void;
}

export function createOutcomeFeed({ store, clock }: Pick<ServerContext, 'store' | 'clock'>): OutcomeFeed {
  const wakers = new Set<() => void>();
  let stopCount = 0;
  const wake = (): void => {
    for (const wakeReader of wakers) wakeReader();
  };

  const waitForWake = async (ms: number): Promise<void> => {
    let wakeReader = (): void => undefined;
    const woken = new Promise<void>((resolve) => (wakeReader = resolve));
    wakers.add(wakeReader);
    await resolveWithin(clock, ms, woken);
    wakers.delete(wakeReader);
  };

  return {
    async read(query = {}) {
      const { after, limit, waitMs } = parse(outcomesQuery, query);
      const stopCountAtStart = stopCount;
      const endAt = clock.now() + waitMs;
      for (;;) {
        const outcomes = await store.readOutcomes(Number(after ?? 0), limit);
        const remainingMs = endAt - clock.now();
        if (outcomes.length > 0 || remainingMs <= 0 || stopCount !== stopCountAtStart) return toPage(outcomes, after);
        await waitForWake(Math.min(remainingMs, readIntervalMs));
      }
    },
    wake,
    stop() {
      stopCount += 1;
      wake();
    },
  };
}

function toPage(records: readonly FeedOutcome[], after: string | undefined): OutcomePage {
  const outcomes = records.map(({ position, ...outcome }) => ({ ...outcome, cursor: String(position) }));
  return { outcomes, nextCursor: outcomes.at(-1)?.cursor ?? after ?? null };
}
