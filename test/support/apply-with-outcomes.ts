// The transitions of a record, each with the outcomes that the save of its result stores.
import * as create from '../../src/server/domain/apply-create-result.ts';
import * as status from '../../src/server/domain/apply-fetched-status.ts';
import { outcomesBetween } from '../../src/server/domain/derive-outcomes.ts';

export function applyFetchedStatus(...args: Parameters<typeof status.applyFetchedStatus>) {
  const [before] = args;
  const update = status.applyFetchedStatus(...args);
  return update && { ...update, outcomes: outcomesBetween(before, update.record, args[5]) };
}

/** `now` is the time of the outcomes. */
export function applyCreateFailure(...args: [...Parameters<typeof create.applyCreateFailure>, now?: number]) {
  const [before, externalId, error, nextRuns, now = 0] = args;
  const result = create.applyCreateFailure(before, externalId, error, nextRuns);
  return { ...result, outcomes: outcomesBetween(before, result.record, now) };
}
