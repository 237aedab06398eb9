// Imports nothing: programs check names before they load a query builder.

/** Where the store's tables are, so that they do not collide with tables of others in the same database. */
export interface TablePlace {
  /** The schema of the tables; undefined where the database has no schemas. */
  readonly schema?: string | undefined;
  /** What the names of the tables and indexes begin with; may be empty. */
  readonly tablePrefix: string;
}

/** The store's tables, those that others refer to last. */
export const tableNames = ['schedules', 'outcomes', 'attempts', 'checkouts', 'migrations'] as const;

/** Where the tables are when the merchant chooses no names. */
export const defaultPlaces = {
  sqlite: { tablePrefix: 'pay_invoice_' },
  postgres: { schema: 'pay_invoice', tablePrefix: '' },
} as const satisfies Readonly<Record<string, TablePlace>>;

/** With both, a channel of PostgreSQL, and with a prefix, an index, stays within the 63 bytes of a name. */
export const validName = /^[a-z_][a-z0-9_]{0,27}$/;
export const validNameRule = 'must be 1 to 28 lower-case letters, digits and underscores, and begin with no digit';

/** Resolves the options of a store. @throws TypeError when a name is not plain */
export function checkPlace(place: TablePlace): TablePlace {
  for (const option of ['schema', 'tablePrefix'] as const) {
    const name = place[option];
    if (
      name === undefined ||
      validName.test(name) ||
      (name === '' && place.schema !== undefined && option !== 'schema')
    )
      continue;
    throw new TypeError(`${option}: ${validNameRule}`);
  }
  return place;
}

/** The name of one of the store's tables as SQL text. Names are plain, so that no quotes are needed. */
export function nameIn({ schema, tablePrefix }: TablePlace, table: (typeof tableNames)[number]): string {
  return `${schema === undefined ? '' : `${schema}.`}${tablePrefix}${table}`;
}
