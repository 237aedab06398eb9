import type { Outcome } from './admin-client.ts';
import type { Translator } from './texts.ts';

/**
 * Whether an outcome has reached the shop, or when it is tried again. `outcomes` are those of its checkout, oldest first: they are
 * delivered in this order, so that one waits until those before it are received or given up, and its own time means nothing.
 */
export function deliveryState(outcome: Outcome, outcomes: readonly Outcome[], { text, time }: Translator): string {
  if (outcome.delivered_at !== null) return `${text('delivered')} ${time(outcome.delivered_at)}`;
  if (outcome.abandoned_at !== null) return `${text('abandoned')} ${time(outcome.abandoned_at)}`;
  const isFirst = outcomes.find(({ next_delivery_at: at }) => at !== null)?.id === outcome.id;
  return isFirst ? `${text('nextTry')} ${time(outcome.next_delivery_at)}` : text('waitsForOther');
}
