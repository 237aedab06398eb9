import {
  IdentifierNode,
  OperationNodeTransformer,
  SchemableIdentifierNode,
  type CreateIndexNode,
  type DropIndexNode,
  type KyselyPlugin,
  type QueryId,
} from 'kysely';
import { tableNames, type TablePlace } from './table-names.ts';

const ownTables: ReadonlySet<string> = new Set(tableNames);

/** A plugin that adds schema and prefix to the store's tables in every query, and to their indexes in migrations. */
export function tableNamesPlugin(place: TablePlace): KyselyPlugin {
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
    return node.schema === undefined && ownTables.has(name) ? this.#qualified(name) : node;
  }

  protected override transformCreateIndex(node: CreateIndexNode, queryId?: QueryId): CreateIndexNode {
    const isOwn = node.table !== undefined && ownTables.has(node.table.table.identifier.name);
    const name = IdentifierNode.create(`${isOwn ? this.#place.tablePrefix : ''}${node.name.name}`);
    return { ...super.transformCreateIndex(node, queryId), name };
  }

  /** `on` marks an index as the store's. It is removed, because `drop index` has no `on` in either database. */
  protected override transformDropIndex({ table, ...node }: DropIndexNode, queryId?: QueryId): DropIndexNode {
    const isOwn = table !== undefined && ownTables.has(table.table.identifier.name);
    return {
      ...super.transformDropIndex(node, queryId),
      ...(isOwn && { name: this.#qualified(node.name.identifier.name) }),
    };
  }

  #qualified(name: string): SchemableIdentifierNode {
    const { schema, tablePrefix } = this.#place;
    return schema === undefined
      ? SchemableIdentifierNode.create(`${tablePrefix}${name}`)
      : SchemableIdentifierNode.createWithSchema(schema, `${tablePrefix}${name}`);
  }
}
