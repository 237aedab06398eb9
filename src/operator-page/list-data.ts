import { callAdmin, type Checkout, type CheckoutDetails, type Checkouts, type Outcome } from './admin-client.ts';
import { filtersOf, isFiltered, toQuery } from './list-address.ts';

// What the list shows. The page asks for it again each 15 s, so it asks for no more than it shows.

/** How many checkouts that need a person are shown, in checkouts. */
const urgentCount = 5;
const pageSize = 50;

/** The newest of the checkouts that need a person. */
interface Newest<Item> {
  readonly checkouts: readonly Item[];
  readonly hasMore: boolean;
}

/** A checkout with the outcomes that the shop has not received; `undefined` where they could not be read. */
export interface Undelivered {
  readonly checkout: Checkout;
  readonly outcomes: readonly Outcome[] | undefined;
}

export interface ListData {
  readonly checkouts: readonly Checkout[];
  /** Empty: there are no more. */
  readonly nextCursor: string;
  readonly undecided: Newest<Checkout>;
  readonly undelivered: Newest<Undelivered>;
}

/** How many there are: nothing, `3`, or `5+`. */
export const countOf = ({ checkouts, hasMore }: Newest<unknown>): string =>
  checkouts.length === 0 ? '' : `${checkouts.length}${hasMore ? '+' : ''}`;

const nothingUrgent = { checkouts: [], hasMore: false };
export const emptyList: ListData = {
  checkouts: [],
  nextCursor: '',
  undecided: nothingUrgent,
  undelivered: nothingUrgent,
};

type Query = Readonly<Record<string, string | number>>;
const list = (token: string, query: Query): Promise<Checkouts> => callAdmin<Checkouts>(token, ['checkouts'], query);

async function listNewest(token: string, filter: Query): Promise<Newest<Checkout>> {
  const { checkouts, next_cursor: cursor } = await list(token, { ...filter, limit: urgentCount });
  return { checkouts, hasMore: cursor !== null };
}

/** The outcomes of a checkout that the shop has not received. */
const missingOf = (token: string, { id }: Checkout): Promise<readonly Outcome[] | undefined> =>
  callAdmin<CheckoutDetails>(token, ['checkouts', id]).then(
    ({ outcomes }) => outcomes.filter((outcome) => outcome.delivered_at === null),
    () => undefined,
  );

async function listUndelivered(token: string): Promise<Newest<Undelivered>> {
  const { checkouts, hasMore } = await listNewest(token, { undelivered: 1 });
  const read = async (checkout: Checkout) => ({ checkout, outcomes: await missingOf(token, checkout) });
  // One may have been delivered since.
  const missing = (await Promise.all(checkouts.map(read))).filter(({ outcomes }) => outcomes?.length !== 0);
  return { checkouts: missing, hasMore };
}

/** Loads what the address names, and what needs a person. At least `count` checkouts stay in the list. */
export async function loadList(token: string, hash: string, count: number): Promise<ListData> {
  const limit = Math.min(500, Math.max(pageSize, count));
  const [page, undecided, undelivered] = await Promise.all([
    list(token, { limit, ...toQuery(filtersOf(hash)) }),
    listNewest(token, { needs_decision: 1 }),
    isFiltered(hash) ? nothingUrgent : listUndelivered(token),
  ]);
  return { checkouts: page.checkouts, nextCursor: page.next_cursor ?? '', undecided, undelivered };
}

/** The list with its next page. */
export async function loadMore(token: string, hash: string, data: ListData): Promise<ListData> {
  const page = await list(token, { limit: pageSize, ...toQuery(filtersOf(hash)), cursor: data.nextCursor });
  return { ...data, checkouts: [...data.checkouts, ...page.checkouts], nextCursor: page.next_cursor ?? '' };
}

/** The paths of the calls that deliver again what the shop has not received. */
export async function pathsToRedeliver(token: string): Promise<readonly (readonly string[])[]> {
  const paths: (readonly string[])[] = [];
  for (const checkout of (await list(token, { undelivered: 1, limit: 500 })).checkouts) {
    const missing = (await missingOf(token, checkout)) ?? [];
    paths.push(...missing.map((outcome) => ['outcomes', outcome.id, 'redeliver']));
  }
  return paths;
}
