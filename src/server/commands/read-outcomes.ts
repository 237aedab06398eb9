import { hash } from 'node:crypto';
import { z } from 'zod';
import { strictObject, wholeNumber } from '../domain/strict-object.ts';
import { loadUntil, type LongPolls } from '../between-requests/long-polls.ts';
import type { FeedPart, OutcomeRecord } from '../ports/outcome-outbox.ts';
import type { ServerContext } from '../server-context.ts';
import { CheckoutConflictError, parse } from '../domain/checkout-params.ts';

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
    .regex(/^[\w.-]{1,100}$/, 'must be a cursor of an outcome')
    .optional(),
  limit: wholeNumber('', 1, 500).default(100),
  waitMs: wholeNumber(' of milliseconds', 0, 30_000).default(0),
} satisfies Record<keyof OutcomesQuery, z.ZodType>);

/** How often a waiting call reads, because a notification may be lost. */
const readIntervalMs = 1000;
/** The key of the waits for outcomes among the long polls. */
export const feedKey = '';

/**
 * @param saves - woken when outcomes may have been saved
 * The function that it returns throws CheckoutConflictError `cursor_unknown` where no outcome of the store has the cursor.
 */
export function createOutcomeFeed(
  { store, clock }: Pick<ServerContext, 'store' | 'clock'>,
  saves: LongPolls,
): (query?: OutcomesQuery) => Promise<OutcomePage> {
  return async (query = {}) => {
    const { after, limit, waitMs } = parse(outcomesQuery, query);
    const cursor = after === undefined ? undefined : parseCursor(after);
    const read = async (): Promise<OutcomePage> => {
      // With the outcome of the cursor, which shows whether the store is the one that gave the cursor.
      const known = await store.readOutcomes((cursor?.position ?? 1) - 1, limit + 1);
      return toPage(known, after, cursor, limit);
    };
    // The wait begins before the first read, so that no outcome after the read is missed.
    const wait = waitMs === 0 ? undefined : saves.begin(feedKey, waitMs);
    return loadUntil(clock, wait, readIntervalMs, read, ({ outcomes }) => outcomes.length > 0, read());
  };
}

/** What a cursor names: an outcome at a position of a store. */
interface Cursor {
  readonly storeId: string;
  readonly position: number;
  /** A digest of the outcome's `id`: after a restore of a backup, other outcomes get the positions of those that were lost. */
  readonly digest: string;
}

const digestOf = (outcomeId: string): string => hash('sha256', outcomeId, 'base64url').slice(0, 8);

/** A cursor of another form names nothing in any store. */
function parseCursor(text: string): Cursor {
  const [storeId = '', position = '', digest = ''] = text.split('.');
  return { storeId, position: /^[1-9]\d{0,14}$/.test(position) ? Number(position) : Number.MAX_SAFE_INTEGER, digest };
}

/** @throws CheckoutConflictError `cursor_unknown` */
function toPage(part: FeedPart, after: string | undefined, cursor: Cursor | undefined, limit: number): OutcomePage {
  const [first] = part.outcomes;
  const isAtCursor = first !== undefined && first.position === cursor?.position;
  if (cursor !== undefined) {
    const { storeId, position, digest } = cursor;
    // The outcome of a cursor may have been deleted since.
    const isOther = isAtCursor && digestOf(first.id) !== digest;
    if (storeId !== part.storeId || position > part.lastPosition || isOther)
      throw new CheckoutConflictError('cursor_unknown', 'after');
  }
  const outcomes = part.outcomes
    .slice(isAtCursor ? 1 : 0)
    .slice(0, limit)
    .map(({ position, ...outcome }) => ({
      ...outcome,
      cursor: `${part.storeId}.${position}.${digestOf(outcome.id)}`,
    }));
  return { outcomes, nextCursor: outcomes.at(-1)?.cursor ?? after ?? null };
}
