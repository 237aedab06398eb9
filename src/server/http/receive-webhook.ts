import type { CheckoutResponse } from './response.ts';
import type { ServerContext } from '../context.ts';
import { hintIntervalMs } from '../workers/poll-scheduler.ts';
import { isSameSecret } from '../domain/ids.ts';
import { ProblemError } from './problem.ts';
import { discardBody } from './json-body.ts';
import type { CheckoutRecord } from '../ports/checkout-store.ts';
import type { StatusPoller } from '../workers/status-poller.ts';

/** Answers `POST {endpoint}/{checkout}/hook/{secret}`: whatever it says, it only makes the watcher look. */
export type ReceiveWebhookHandler = (checkoutId: string, secret: string, request: Request) => Promise<CheckoutResponse>;

export function createReceiveWebhookHandler(
  context: ServerContext,
  watcher: Pick<StatusPoller, 'expediteForWebhook'>,
): ReceiveWebhookHandler {
  const { store, clock } = context;

  const poke = async (record: CheckoutRecord): Promise<void> => {
    const open = record.attempts.filter(({ stage, outcome }) => stage === 'created' && outcome !== 'paid');
    if (open.length === 0) return;
    const lastLook = Math.max(...open.map(({ checked_at }) => checked_at ?? 0));
    const at = Math.max(clock.now(), lastLook + hintIntervalMs);
    await watcher.expediteForWebhook(record.id, at, async () => {
      // What is no longer looked at by itself is looked at once more: the service has a reason to call.
      const asleep = open.filter(({ run_at }) => run_at === null);
      await store.reschedule(asleep.map(({ external_id, checked_at }) => ({ external_id, checked_at, run_at: at })));
      await store.expedite([record.id], at);
    });
  };

  return async (checkoutId, secret, request) => {
    const record = await store.load(checkoutId);
    const isIts = isSameSecret(checkoutId, record?.id ?? '');
    const isGood = isSameSecret(secret, record?.hook_secret ?? '') && isIts;
    if (record !== undefined && isGood) await poke(record);
    await discardBody(context, request);
    if (record === undefined || !isGood) throw new ProblemError('not_found');
    return { status: 204, headers: {} };
  };
}
