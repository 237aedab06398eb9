import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import {
  BinaryOperationNode,
  ColumnNode,
  OperationNodeTransformer,
  OperatorNode,
  ReferenceNode,
  TableNode,
  UpdateQueryNode,
  ValueNode,
  type KyselyPlugin,
  type QueryId,
} from 'kysely';
import type { CheckoutStore } from '../../src/server.ts';
import { checkoutMigrations } from '../../src/stores/migrations/checkout-tables.ts';
import { createSqlStore } from '../../src/stores/sql-store.ts';
import { testClaims } from '../../src/tools/testing/claim-and-schedule-contract.ts';
import type { Rule } from '../../src/tools/testing/store-contract-rule.ts';
import { testOutcomes } from '../../src/tools/testing/outcome-contract.ts';
import { openDatabase } from '../support/open-database.ts';
import { embeddedDatabases } from './databases.ts';

// Every write of a lease holder has the condition that the lease is still held. Each condition is needed: the store contract
// fails for a store whose statement lacks the condition. The statements are the same on both databases.

/** A condition on the lease in an update of a store method. */
interface Fence {
  readonly method: keyof CheckoutStore;
  readonly table: string;
  readonly column: string;
  /** Matches the contract rule that fails when the store omits this condition. */
  readonly brokenRule: RegExp;
}

const lateChangeRule = /drops a change by a process whose lease has ended/;
const renewalRule =
  /renews the lease of an attempt only while its create is under way and no other process has claimed it/;

const fences: readonly Fence[] = [
  { method: 'reschedule', table: 'schedules', column: 'claimable_at', brokenRule: lateChangeRule },
  { method: 'renewAttemptLease', table: 'schedules', column: 'call_count', brokenRule: renewalRule },
  { method: 'renewAttemptLease', table: 'schedules', column: 'lease_until', brokenRule: renewalRule },
  { method: 'renewOutcomeLeases', table: 'outcomes', column: 'claimable_at', brokenRule: lateChangeRule },
  { method: 'retryOutcome', table: 'outcomes', column: 'claimable_at', brokenRule: lateChangeRule },
  { method: 'abandonOutcome', table: 'outcomes', column: 'claimable_at', brokenRule: /keeps an abandoned outcome/ },
];

const databases = await embeddedDatabases();
after(() => databases.end());

/** Removes the comparisons of one column from the updates of one table. */
class ConditionRemover extends OperationNodeTransformer {
  readonly #column: string;
  removedCount = 0;

  constructor(column: string) {
    super();
    this.#column = column;
  }

  protected override transformBinaryOperation(node: BinaryOperationNode, queryId?: QueryId): BinaryOperationNode {
    const { leftOperand } = node;
    const column = ReferenceNode.is(leftOperand) ? leftOperand.column : undefined;
    if (column === undefined || !ColumnNode.is(column) || column.column.name !== this.#column)
      return super.transformBinaryOperation(node, queryId);
    this.removedCount += 1;
    const alwaysEqual = ValueNode.createImmediate(1);
    return BinaryOperationNode.create(alwaysEqual, OperatorNode.create('='), alwaysEqual);
  }
}

/** Opens an empty store, one method of which lacks a condition. The remover counts the removed conditions. */
async function openWithout({ method, table, column }: Pick<Fence, 'method' | 'table' | 'column'>) {
  const database = await openDatabase(await databases.fresh(), checkoutMigrations);
  const remover = new ConditionRemover(column);
  let isCalled = false;
  const plugin: KyselyPlugin = {
    transformQuery({ node, queryId }) {
      if (!isCalled || !UpdateQueryNode.is(node) || node.table === undefined || !TableNode.is(node.table)) return node;
      return node.table.table.identifier.name.endsWith(table) ? remover.transformNode(node, queryId) : node;
    },
    transformResult: ({ result }) => Promise.resolve(result),
  };
  const db = database.db.withPlugin(plugin);
  const store = createSqlStore({ ...database, db, writeWithoutSync: (change) => change(db) });
  const original: unknown = Reflect.get(store, method);
  assert.ok(typeof original === 'function');
  const defectiveStore: CheckoutStore = {
    ...store,
    [method]: (...args: readonly unknown[]): unknown => {
      isCalled = true;
      try {
        return Reflect.apply(original, store, args); // the statement is compiled before the first await
      } finally {
        isCalled = false;
      }
    },
  };
  return { store: defectiveStore, remover, close: () => database.close() };
}

const rules = new Map<string, Parameters<Rule>[1]>();
/** Collects the rules of a part of the contract under `subject: title`. */
function collectRules(declareRules: (name: string, rule: Rule) => void, subject: string): void {
  declareRules(subject, (title, check) => rules.set(`${subject}: ${title}`, check));
}
collectRules(testClaims, 'attempts');
collectRules(testOutcomes, 'outcomes');

describe('the store contract', () => {
  for (const { method, table, column, brokenRule } of fences)
    test(`fails for a store whose ${method} does not compare ${column}`, async () => {
      const subject = table === 'outcomes' ? 'outcomes' : 'attempts';
      const brokenRules = [...rules].filter(([title]) => title.startsWith(subject) && brokenRule.test(title));
      assert.equal(brokenRules.length, 1);
      for (const [, check] of brokenRules) {
        const { store, remover, close } = await openWithout({ method, table, column });
        await assert.rejects(check(store), assert.AssertionError);
        assert.ok(remover.removedCount > 0);
        await close();
      }
    });

  test('passes for a store from which no condition was removed', async () => {
    for (const [title, check] of rules) {
      if (!fences.some(({ brokenRule }) => brokenRule.test(title))) continue;
      const { store, close } = await openWithout({ method: 'reschedule', table: 'schedules', column: 'none' });
      await assert.doesNotReject(check(store), title);
      await close();
    }
  });
});
