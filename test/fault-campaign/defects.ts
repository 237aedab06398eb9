import { hasInvoice } from '../../src/server/domain/select-invoice-attempt.ts';
import { InvoiceServiceError, type Attempt, type CheckoutRecord } from '../../src/server.ts';
import type { Ports } from './kill-points.ts';

/** Defects of a shop. They show that the invariants can fail. */
export const defects = [
  'forgets offered invoices',
  'deletes committed intents',
  'forgets replaced invoices',
  'repeats creates with new external_ids',
  'invents a payment',
  'drops an outcome',
  'credits payments twice',
  'shows a paid order as unpaid',
  'shows another amount',
  'fails in every fifth read',
  'stays in doubt for ever',
] as const;
export type Defect = (typeof defects)[number];

/** Returns the ports with a defect. `now` returns the run's time. */
export function withDefect(ports: Ports, defect: Defect, now: () => number): Ports {
  const { service, store, onOutcome } = ports;
  const changeLoadedRecords = (change: (record: CheckoutRecord) => CheckoutRecord): Ports => {
    const load = async (id: string): Promise<CheckoutRecord | undefined> => {
      const record = await store.load(id);
      return record && change(record);
    };
    return { ...ports, store: { ...store, load } };
  };
  let calls = 0;
  switch (defect) {
    case 'forgets offered invoices':
      return changeLoadedRecords((record) => {
        const isKnown = ({ state, createdAt }: Attempt): boolean => state !== 'live' || now() - createdAt < 1000;
        return { ...record, attempts: record.attempts.filter(isKnown) };
      });
    case 'shows a paid order as unpaid':
      return changeLoadedRecords((record) => {
        if (record.paidExternalId === null || ++calls % 2 === 1) return record;
        const attempts = record.attempts.map((attempt) =>
          hasInvoice(attempt) ? { ...attempt, outcome: 'pending' as const } : attempt,
        );
        return { ...record, paidExternalId: null, attempts };
      });
    case 'shows another amount':
      return changeLoadedRecords((record) => ({
        ...record,
        attempts: record.attempts.map((attempt) =>
          hasInvoice(attempt) ? { ...attempt, invoice: { ...attempt.invoice, amount: '1.00' } } : attempt,
        ),
      }));
    case 'fails in every fifth read':
      return changeLoadedRecords((record) => {
        if (calls++ % 5 === 0) throw new Error('the store is broken');
        return record;
      });
    case 'forgets replaced invoices':
      return changeLoadedRecords((record) => ({
        ...record,
        attempts: record.attempts.slice(-1),
      }));
    case 'deletes committed intents':
      return ports; // The next process deletes the intents when it starts (shop-program.ts).
    case 'drops an outcome':
      return { ...ports, onOutcome: (...args) => (++calls === 1 ? Promise.resolve() : onOutcome(...args)) };
    case 'credits payments twice':
      return {
        ...ports,
        async onOutcome(outcome, context) {
          await onOutcome(outcome, context);
          await onOutcome({ ...outcome, id: `${outcome.id}.again` }, context);
        },
      };
    case 'repeats creates with new external_ids': {
      const requestedIds = new Set<string | undefined>();
      return {
        ...ports,
        service: {
          ...service,
          async createInvoice(request, signal) {
            const isRepeat = requestedIds.has(request.external_id);
            requestedIds.add(request.external_id);
            const external_id = `${request.external_id ?? ''}${isRepeat ? `-${++calls}` : ''}`;
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
