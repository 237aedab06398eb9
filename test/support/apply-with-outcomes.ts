// The transition of a record by a fetch, with the outcomes that the save of its result stores.
import * as status from '../../src/server/domain/fetch-decisions.ts';
import { outcomesBetween } from '../../src/server/domain/checkout-status.ts';

export function applyFetchedStatus(...args: Parameters<typeof status.applyFetchedStatus>) {
  const [before] = args;
  const update = status.applyFetchedStatus(...args);
  return update && { ...update, outcomes: outcomesBetween(before, update.record, args[5]) };
}
