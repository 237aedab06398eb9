import type { CompiledQuery } from 'kysely';
import { type Kysely, type KyselyPlugin, type RootOperationNode } from 'kysely';
import { firstCreatedAt, idOf } from './fill-tables.ts';
import { defaultStatuses } from '../../src/server-internals.ts';
import { createSqlStore, type SqlStore } from '../../src/stores/sql-store.ts';
import type { Database } from '../../src/stores/database.ts';
import type { CheckoutTables } from '../../src/stores/table-row-types.ts';

/** A store whose queries are recorded. */
export interface RecordedStore {
  readonly store: SqlStore;
  /** The queries since the last call, and those that the store compiled when it was created. */
  readonly takeQueries: () => readonly CompiledQuery[];
}

export function recordQueries(database: Database): RecordedStore {
  const nodes: RootOperationNode[] = [];
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      nodes.push(node);
      return node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  const db = database.db.withPlugin(plugin);
  const store = createSqlStore({
    ...database,
    db,
    writeWithoutSync: (change) => database.writeWithoutSync((connection) => change(connection.withPlugin(plugin))),
  });
  const queriesAtCreation = compile(database.db, nodes.splice(0));
  return {
    store,
    takeQueries: () => [...queriesAtCreation.splice(0), ...compile(database.db, nodes.splice(0))],
  };
}

function compile(db: Kysely<CheckoutTables>, nodes: readonly RootOperationNode[]): CompiledQuery[] {
  const executor = db.getExecutor();
  return nodes.map((node) => executor.compileQuery(node, { queryId: 'recorded' }));
}

/** Calls of the store that the benchmark does not make, on the benchmark's records. */
export function operationsForPlans(
  store: SqlStore,
  count: number,
  batchSize = 100,
): Readonly<Record<string, () => Promise<unknown>>> {
  const now = firstCreatedAt * 2;
  return {
    'list by a search': () => store.list({ now, limit: batchSize, search: idOf('inv', count) }),
    'list with undelivered outcomes': () => store.list({ now, limit: batchSize, undelivered: true }),
    'list of what a person has to decide': () => store.list({ now, limit: batchSize, undecided: defaultStatuses }),
    'list by a rare outcome': () => store.list({ now, limit: batchSize, kind: 'duplicate_payment' }),
    'list by a common outcome': () => store.list({ now, limit: batchSize, kind: 'paid' }),
  };
}
