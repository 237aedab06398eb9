import { brokenRules, rulesBrokenBy } from '../domain/checkout-record-rules.ts';
import type { CheckoutRecord } from '../ports/checkout-store.ts';
import type { Log } from '../ports/log.ts';
import type { NewOutcome } from '../ports/outcome-outbox.ts';

/** A change that breaks a rule of the record. It is not saved. */
export class RecordRuleError extends Error {
  override readonly name = 'RecordRuleError';
  readonly code = 'record_rule_broken';
  readonly path = 'store';
}

/** How many broken records are remembered, so that each version of a record is logged once however often it is read. */
const maxLogged = 1000;

/**
 * Checks each record that is loaded and each change before it is saved. A broken rule is an error in the log, which the metrics
 * count by its event. A change that breaks a rule is refused. A loaded record that breaks a rule is still served: the payer of
 * a damaged record has to see his payment and the shop has to hear of it. Only a new invoice is refused (`rulesBrokenBy`).
 */
export function createRuleCheck(log: Log) {
  const logged = new Set<string>();
  const logRules = (at: 'load' | 'save', { id, version }: CheckoutRecord, rules: readonly string[]): void => {
    const key = `${at} ${id} ${version}`;
    if (rules.length === 0 || logged.has(key)) return;
    if (logged.size >= maxLogged) logged.clear();
    logged.add(key);
    log('error', 'record_rule_broken', { checkout: id, version, at, rule: rules.join('; ') });
  };
  return {
    checkLoaded(loaded: CheckoutRecord | undefined): CheckoutRecord | undefined {
      if (loaded !== undefined) logRules('load', loaded, brokenRules(loaded));
      return loaded;
    },
    /** @throws RecordRuleError */
    checkSave(record: CheckoutRecord, outcomes: readonly NewOutcome[], before: CheckoutRecord | undefined): void {
      const rules = before === undefined ? brokenRules(record) : rulesBrokenBy({ before, record, outcomes });
      logRules('save', record, rules);
      if (rules.length > 0) throw new RecordRuleError(rules.join('; '));
    },
  };
}
