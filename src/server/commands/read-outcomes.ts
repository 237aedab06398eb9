import { z } from 'zod';
import { strictObject, wholeNumber } from '../domain/strict-object.ts';
import { loadUntil, type LongPolls } from '../in-memory/long-polls.ts';
import type { FeedOutcome, OutcomeRecord } from '../ports/outcome-outbox.ts';
import type { ServerContext } from '../server-context.ts';
import { parse } from '../domain/checkout-params.ts';

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

const outcomesQuery = strictObject({
  after: z
    .string('must be a cursor of an outcome')
    .regex(/^\d{1,15}$/, 'must be a cursor of an outcome')
    .optional(),
  limit: wholeNumber('', 1, 500).default(100),
  waitMs: wholeNumber(' of milliseconds', 0, 30_000).default(0),
} satisfies Record<keyof OutcomesQuery, z.ZodType>);

/** How often a waiting call reads, because a notification may be lost. */
const readIntervalMs = 1000;
/** The key of the waits for outcomes among the long polls. */
export const feedKey = '';

/** @param saves - woken when outcomes may have been saved */
export function createOutcomeFeed(
  { store, clock }: Pick<ServerContext, 'store' | 'clock'>,
  saves: LongPolls,
): (query?: OutcomesQuery) => Promise<OutcomePage> {
  return async (query = {}) => {
    const { after, limit, waitMs } = parse(outcomesQuery, query);
    const read = (): Promise<readonly FeedOutcome[]> => store.readOutcomes(Number(after ?? 0), limit);
    // The wait begins before the first read, so that no outcome after the read is missed.
    const wait = waitMs === 0 ? undefined : saves.begin(feedKey, waitMs);
    const outcomes = await loadUntil(clock, wait, readIntervalMs, read, ({ length }) => length > 0, read());
    return toPage(outcomes, after);
  };
}

function toPage(records: readonly FeedOutcome[], after: string | undefined): OutcomePage {
  const outcomes = records.map(({ position, ...outcome }) => ({ ...outcome, cursor: String(position) }));
  return { outcomes, nextCursor: outcomes.at(-1)?.cursor ?? after ?? null };
}
