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

const storeTables: ReadonlySet<string> = new Set(tableNames);

/** Creates a plugin that adds schema and prefix to the names of the store's tables, and in migrations to their indexes. */
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
    return node.schema === undefined && storeTables.has(name) ? this.#qualifiedName(name) : node;
  }

  protected override transformCreateIndex(node: CreateIndexNode, queryId?: QueryId): CreateIndexNode {
    const isOfStore = node.table !== undefined && storeTables.has(node.table.table.identifier.name);
    const name = IdentifierNode.create(`${isOfStore ? this.#place.tablePrefix : ''}${node.name.name}`);
    return { ...super.transformCreateIndex(node, queryId), name };
  }

  /** `on` tells that the index belongs to the store. It is removed, because `drop index` has no `on` in either database. */
  protected override transformDropIndex({ table, ...node }: DropIndexNode, queryId?: QueryId): DropIndexNode {
    const isOfStore = table !== undefined && storeTables.has(table.table.identifier.name);
    return {
      ...super.transformDropIndex(node, queryId),
      ...(isOfStore && { name: this.#qualifiedName(node.name.identifier.name) }),
    };
  }

  #qualifiedName(name: string): SchemableIdentifierNode {
    const { schema, tablePrefix } = this.#place;
    return schema === undefined
      ? SchemableIdentifierNode.create(`${tablePrefix}${name}`)
      : SchemableIdentifierNode.createWithSchema(schema, `${tablePrefix}${name}`);
  }
}
