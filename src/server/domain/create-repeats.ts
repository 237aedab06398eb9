import type { Attempt } from '../ports/invoice-attempt.ts';
import type { InvoiceServiceError } from '../ports/invoice-service.ts';

// When a create that has failed is repeated. `call-operation.ts` repeats one whose QR was refused, within its time.

/** The longest pause before the first repeat, in milliseconds, while the service answers. */
const soonMs = 300;

/** The pause in milliseconds before a create is repeated that has failed `callCount` times. */
function retryDelay(callCount: number, isSoon: boolean, random: number): number {
  const maxDelayMs = isSoon ? soonMs : Math.min(2000 * 2 ** Math.min(callCount - 1, 20), 300_000);
  return maxDelayMs * (0.5 + random / 2);
}

/** The failure of the last call. */
type Failure = Pick<InvoiceServiceError, 'failure'> & Partial<Pick<InvoiceServiceError, 'retryAfterMs'>>;

/** How long a create in doubt is repeated, in milliseconds. */
export const repeatForMs = 86_400_000;

/**
 * When a create that has failed is repeated next; null: not any more. In doubt, it is repeated for a day, even after the payer
 * has requested another invoice. The last repeat is at the end of that day. When the service has certainly done nothing, there
 * is one repeat, and none in an outage.
 * @param isAnswering - whether the service has answered the create before: the first repeat then comes soon, and in an outage it
 * does not add to the load of the service
 */
export function retryAt(
  { createdAt, callCount, state }: Pick<Attempt, 'createdAt' | 'callCount' | 'state'>,
  { failure, retryAfterMs = 0 }: Failure,
  now: number,
  random: number,
  isAnswering: boolean,
): number | null {
  const isSoon = isAnswering && callCount === 1;
  if (state === 'creating' && failure === 'unavailable' && !isSoon) return null;
  const lastRepeatAt = createdAt + repeatForMs;
  const delay = Math.max(retryAfterMs, retryDelay(callCount, isSoon, random));
  return now >= lastRepeatAt ? null : Math.min(lastRepeatAt, now + Math.round(delay));
}
