import type { Answer } from './answer.ts';
import type { Kit } from './kit.ts';
import { pokePauseMs } from './pokes.ts';
import { isSameSecret } from './mint.ts';
import { ProblemError } from './problem-answer.ts';
import { drain } from './read-json.ts';
import type { CheckoutRecord } from './store.ts';
import type { Watcher } from './watcher.ts';

/** Answers `POST {endpoint}/{checkout}/hook/{secret}`: whatever it says, it only makes the watcher look. */
export type TakeHook = (checkoutId: string, secret: string, request: Request) => Promise<Answer>;

export function createTakeHook(kit: Kit, watcher: Pick<Watcher, 'poke'>): TakeHook {
  const { store, clock } = kit;

  const poke = async (record: CheckoutRecord): Promise<void> => {
    const open = record.attempts.filter(({ stage, outcome }) => stage === 'made' && outcome !== 'paid');
    if (open.length === 0) return;
    const lastLook = Math.max(...open.map(({ checked_at }) => checked_at ?? 0));
    const at = Math.max(clock.now(), lastLook + pokePauseMs);
    await watcher.poke(record.id, at, async () => {
      // What is no longer looked at by itself is looked at once more: the service has a reason to call.
      const asleep = open.filter(({ due_at }) => due_at === null);
      await store.reschedule(asleep.map(({ external_id, checked_at }) => ({ external_id, checked_at, due_at: at })));
      await store.hasten([record.id], at);
    });
  };

  return async (checkoutId, secret, request) => {
    const record = await store.load(checkoutId);
    const isIts = isSameSecret(checkoutId, record?.id ?? '');
    const isGood = isSameSecret(secret, record?.hook_secret ?? '') && isIts;
    if (record !== undefined && isGood) await poke(record);
    await drain(kit, request);
    if (record === undefined || !isGood) throw new ProblemError('not_found');
    return { status: 204, headers: {} };
  };
}
