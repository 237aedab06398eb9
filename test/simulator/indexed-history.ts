import type { EventOf, SimulationEvent } from './history.ts';

export type Report = (at: number, orderId: string, text: string) => void;

/** What the rules look up. */
export interface History {
  readonly events: readonly SimulationEvent[];
  readonly invoices: ReadonlyMap<string, EventOf<'invoice'>>;
  readonly paidAt: ReadonlyMap<string, number>;
  readonly amounts: ReadonlyMap<string, string | null>;
  /** The calls of CreateInvoice. */
  readonly creates: readonly EventOf<'call'>[];
  /** The shop's outcomes, each once, when it was first received and when it was first applied. */
  readonly outcomes: readonly EventOf<'outcome'>[];
  /** When each outcome was saved, by its `id`. */
  readonly savedAt: ReadonlyMap<string, number>;
  /** The bank's status of an invoice at a time; undefined while the bank has decided nothing. */
  readonly bankStatusAt: (invoiceId: string, at: number) => string | undefined;
  readonly of: <K extends SimulationEvent['kind']>(kind: K) => readonly EventOf<K>[];
}

export const secondMs = 1000;
export const minuteMs = 60 * secondMs;
export function groupBy<T>(
  items: readonly T[],
  keyOf: (item: T) => string | undefined,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Reports the first moment at which more than `most` of the times lie within `windowMs`. */
export function findBurst(times: readonly number[], most: number, windowMs: number): number | undefined {
  return times.find((at, index) => {
    const later = times[index + most];
    return later !== undefined && later - at < windowMs;
  });
}

/** The rules by their names. */
export type Rules = Readonly<Record<string, (history: History, report: Report) => void>>;

export function createHistory(events: readonly SimulationEvent[]): History {
  const groups = groupBy(events, ({ kind }) => kind);
  const of = <K extends SimulationEvent['kind']>(kind: K): readonly EventOf<K>[] =>
    (groups.get(kind) ?? []).filter((event): event is EventOf<K> => event.kind === kind);
  const outcomes = new Map<string, EventOf<'outcome'>>();
  for (const event of of('outcome')) {
    const known = outcomes.get(event.outcome.id);
    outcomes.set(
      event.outcome.id,
      known === undefined ? event : { ...known, isApplied: known.isApplied || event.isApplied },
    );
  }
  const bank = groupBy(of('bank'), ({ invoiceId }) => invoiceId);
  return {
    events,
    of,
    creates: of('call').filter(({ operation }) => operation === 'CreateInvoice'),
    outcomes: [...outcomes.values()],
    savedAt: new Map(of('outcome_saved').map(({ outcomeId, at }) => [outcomeId, at])),
    bankStatusAt: (invoiceId, at) => bank.get(invoiceId)?.findLast((event) => event.at <= at)?.status,
    invoices: new Map(of('invoice').map((event) => [event.invoiceId, event])),
    paidAt: new Map(of('bank').flatMap(({ invoiceId, status, at }) => (status === 'PAID' ? [[invoiceId, at]] : []))),
    amounts: new Map(of('order').map(({ orderId, amount }) => [orderId, amount])),
  };
}

export function seconds(ms: number): string {
  return `${(ms / secondMs).toFixed(1)} s`;
}
