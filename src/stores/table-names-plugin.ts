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

const known: ReadonlySet<string> = new Set(tableNames);

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
