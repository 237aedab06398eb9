import { OperationNodeTransformer, SchemableIdentifierNode, type KyselyPlugin } from 'kysely';
import { CheckoutOptionsError } from '../base/options-error.ts';

/** The schema and the prefix of the store's tables, which separate them from other tables in the same database. */
export interface TablePlace {
  /** The schema of the tables; undefined where the database has no schemas. */
  readonly schema?: string | undefined;
  /** The prefix of the names of the tables and indexes. It may be empty if there is a schema. */
  readonly tablePrefix: string;
}

/** The store's tables and views. */
export const tableNames: ReadonlySet<string> = new Set([
  'checkouts_view',
  'outcomes_view',
  'schedules',
  'deliveries',
  'store',
  'outcomes',
  'attempts',
  'checkouts',
  'migrations',
]);

/** The schema and the prefix when the merchant sets none. */
const defaultPlaces = {
  sqlite: { tablePrefix: 'pay_invoice_' },
  postgres: { schema: 'pay_invoice', tablePrefix: '' },
} as const satisfies Readonly<Record<string, TablePlace>>;

/**
 * Valid names are so short that the names of the channel and the indexes, with schema and prefix, fit PostgreSQL's 63 bytes. The
 * databases keep two beginnings for themselves.
 */
export const validName = /^(?!pg_|sqlite_)[a-z_][a-z0-9_]{0,27}$/;
export const validNameRule =
  'must be 1 to 28 lower-case letters, digits and underscores, and begin with no digit, pg_ or sqlite_';

/** The place of the tables, with the database's defaults for what is not set. @throws CheckoutOptionsError for a name that is not valid */
export function placeOf(
  database: 'sqlite' | 'postgres',
  names: { readonly schema?: string | undefined; readonly tablePrefix?: string | undefined },
): TablePlace {
  const defaults: TablePlace = defaultPlaces[database];
  const { schema = defaults.schema, tablePrefix = defaults.tablePrefix } = names;
  const place = defaults.schema === undefined ? { tablePrefix } : { schema, tablePrefix };
  for (const option of ['schema', 'tablePrefix'] as const) {
    const name = place[option];
    const isEmptyPrefix = option === 'tablePrefix' && name === '' && place.schema !== undefined;
    if (name === undefined || validName.test(name) || isEmptyPrefix) continue;
    throw new CheckoutOptionsError({ path: option, message: `${option}: ${validNameRule}` });
  }
  return place;
}

/**
 * The name of one of the store's tables, with its schema and prefix, as SQL text. The schema is quoted, because it may be a
 * reserved word; no name of a table is one.
 */
export function qualifiedName({ schema, tablePrefix }: TablePlace, table: string): string {
  return `${schema === undefined ? '' : `"${schema}".`}${tablePrefix}${table}`;
}

/** Creates a plugin that adds schema and prefix to the names of the store's tables. */
export function tableNamesPlugin({ schema, tablePrefix }: TablePlace): KyselyPlugin {
  const transformer = new (class extends OperationNodeTransformer {
    protected override transformSchemableIdentifier(node: SchemableIdentifierNode): SchemableIdentifierNode {
      if (node.schema !== undefined || !tableNames.has(node.identifier.name)) return node;
      const name = `${tablePrefix}${node.identifier.name}`;
      return schema === undefined
        ? SchemableIdentifierNode.create(name)
        : SchemableIdentifierNode.createWithSchema(schema, name);
    }
  })();
  return {
    transformQuery: ({ node, queryId }) => transformer.transformNode(node, queryId),
    transformResult: ({ result }) => Promise.resolve(result),
  };
}
