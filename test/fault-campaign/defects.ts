import { InvoiceServiceError, type CheckoutRecord } from '../../src/server.ts';
import type { Ports } from './kill-points.ts';

/** The defects of a shop, which show that the invariants can fail. */
export const defects = [
  'forgets what it offered',
  'forgets its intents',
  'forgets replaced invoices',
  'renames its repeats',
  'invents a payment',
  'drops an outcome',
  'credits twice',
  'takes paid back',
  'shows another amount',
  'breaks now and then',
  'stays in doubt for ever',
] as const;
export type Defect = (typeof defects)[number];

/** The ports with a defect. `now` is the run's time. */
export function withDefect(ports: Ports, defect: Defect, now: () => number): Ports {
  const { service, store, onOutcome } = ports;
  const loading = (change: (record: CheckoutRecord) => CheckoutRecord): Ports => {
    const load = async (id: string): Promise<CheckoutRecord | undefined> => {
      const record = await store.load(id);
      return record && change(record);
    };
    return { ...ports, store: { ...store, load, loadIfChanged: load } };
  };
  let count = 0;
  switch (defect) {
    case 'forgets what it offered':
      return loading((record) => {
        const isKnown = ({ stage, createdAt }: CheckoutRecord['attempts'][number]): boolean =>
          stage !== 'created' || now() - createdAt < 1000;
        return { ...record, attempts: record.attempts.filter(isKnown) };
      });
    case 'takes paid back':
      return loading((record) => {
        if (record.paidExternalId === null || ++count % 2 === 1) return record;
        const attempts = record.attempts.map((attempt) => ({ ...attempt, outcome: 'pending' as const }));
        return { ...record, paidExternalId: null, attempts };
      });
    case 'shows another amount':
      return loading((record) => ({
        ...record,
        attempts: record.attempts.map((attempt) => ({
          ...attempt,
          invoice: attempt.invoice && { ...attempt.invoice, amount: '1.00' },
        })),
      }));
    case 'breaks now and then':
      return loading((record) => {
        if (count++ % 5 === 0) throw new Error('the store is broken');
        return record;
      });
    case 'forgets replaced invoices':
      return loading((record) => ({ ...record, attempts: record.attempts.filter(({ replaced }) => !replaced) }));
    case 'forgets its intents':
      return ports; // The next process deletes them when it starts (shop-program.ts).
    case 'drops an outcome':
      return { ...ports, onOutcome: (...args) => (++count === 1 ? Promise.resolve() : onOutcome(...args)) };
    case 'credits twice':
      return {
        ...ports,
        async onOutcome(outcome, context) {
          await onOutcome(outcome, context);
          await onOutcome({ ...outcome, id: `${outcome.id}.again` }, context);
        },
      };
    case 'renames its repeats': {
      const requested = new Set<string | undefined>();
      return {
        ...ports,
        service: {
          ...service,
          async createInvoice(request, signal) {
            const isRepeat = requested.has(request.external_id);
            requested.add(request.external_id);
            const external_id = `${request.external_id ?? ''}${isRepeat ? `-${++count}` : ''}`;
            return service.createInvoice({ ...request, external_id }, signal);
          },
        },
      };
    }
    case 'invents a payment':
      return {
        ...ports,
        service: {
          ...service,
          fetchInvoices: async (ids, signal) =>
            (await service.fetchInvoices(ids, signal)).map((invoice) => ({ ...invoice, status: 'PAID' })),
        },
      };
    case 'stays in doubt for ever':
      return {
        ...ports,
        service: {
          ...service,
          async createInvoice(request, signal) {
            await service.createInvoice(request, signal);
            throw new InvoiceServiceError('lost', { failure: 'ambiguous', code: 'unknown' });
          },
        },
      };
  }
}
