import {
  IdentifierNode,
  OperationNodeTransformer,
  SchemableIdentifierNode,
  type CreateIndexNode,
  type DropIndexNode,
  type KyselyPlugin,
  type QueryId,
} from 'kysely';

/** Where the store's tables are, so that they do not collide with tables of others in the same database. */
export interface TablePlace {
  /** The schema of the tables; undefined where the database has no schemas. */
  readonly schema?: string | undefined;
  /** What the names of the tables and indexes begin with; may be empty. */
  readonly tablePrefix: string;
}

/** The store's tables, those that others refer to last. */
export const tableNames = ['schedules', 'outcomes', 'attempts', 'checkouts', 'migrations'] as const;

const known: ReadonlySet<string> = new Set(tableNames);
/** With both, a channel of PostgreSQL, and with a prefix, an index, stays within the 63 bytes of a name. */
const validName = /^[a-z_][a-z0-9_]{0,27}$/;

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
    throw new TypeError(
      `${option}: must be 1 to 28 lower-case letters, digits and underscores, and begin with no digit`,
    );
  }
  return place;
}

/** The name of one of the store's tables as SQL text. Names are plain, so that no quotes are needed. */
export function nameIn({ schema, tablePrefix }: TablePlace, table: (typeof tableNames)[number]): string {
  return `${schema === undefined ? '' : `${schema}.`}${tablePrefix}${table}`;
}

/** Puts the place into every query: the store's tables, and the indexes that are created or dropped on them. */
export function inPlace(place: TablePlace): KyselyPlugin {
  const transformer = new NameTransformer(place);
  return {
    transformQuery: ({ node, queryId }) => transformer.transformNode(node, queryId),
    transformResult: ({ result }) => Promise.resolve(result),
  };
}

class NameTransformer extends OperationNodeTransformer {
  readonly #place: TablePlace;

  constructor(place: TablePlace) {
    super();
    this.#place = place;
  }

  protected override transformSchemableIdentifier(node: SchemableIdentifierNode): SchemableIdentifierNode {
    const { name } = node.identifier;
    return node.schema === undefined && known.has(name) ? this.#placed(name) : node;
  }

  protected override transformCreateIndex(node: CreateIndexNode, queryId?: QueryId): CreateIndexNode {
    const isOwn = node.table !== undefined && known.has(node.table.table.identifier.name);
    const name = IdentifierNode.create(`${isOwn ? this.#place.tablePrefix : ''}${node.name.name}`);
    return { ...super.transformCreateIndex(node, queryId), name };
  }

  /** `on` shows that an index is the store's; neither database has it in this statement. */
  protected override transformDropIndex({ table, ...node }: DropIndexNode, queryId?: QueryId): DropIndexNode {
    const isOwn = table !== undefined && known.has(table.table.identifier.name);
    return {
      ...super.transformDropIndex(node, queryId),
      ...(isOwn && { name: this.#placed(node.name.identifier.name) }),
    };
  }

  #placed(name: string): SchemableIdentifierNode {
    const { schema, tablePrefix } = this.#place;
    return schema === undefined
      ? SchemableIdentifierNode.create(`${tablePrefix}${name}`)
      : SchemableIdentifierNode.createWithSchema(schema, `${tablePrefix}${name}`);
  }
}
