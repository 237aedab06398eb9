import type { PaymentOption } from '../../contract.ts';
import type { Clock } from '../../base/clock.ts';
import { withTimeout } from '../../base/timeout.ts';
import type { ServiceHealth } from '../live/service-health.ts';
import type { InvoiceService } from '../ports/invoice-service.ts';
import { errorFields, type Log } from '../ports/log.ts';
import type { Timing } from '../options.ts';

/** Payment options as last heard. */
export interface KnownOptions {
  readonly options: readonly PaymentOption[];
  /** The service does not answer: these are older than they should be. */
  readonly stale: boolean;
}

/** The payment options for an amount; all who ask at once share one call. */
export interface PaymentOptionsCache {
  /** undefined: the service does not answer, and nothing that may still be shown is known. */
  get(amount: string | undefined): Promise<KnownOptions | undefined>;
  /** Forgets what is known: the service has contradicted it. */
  forget(): void;
}

interface Entry {
  readonly options: readonly PaymentOption[] | undefined;
  readonly at: number;
  /** No call is made before this. */
  readonly until: number;
}

const maxEntries = 1000;
/** After a failure the service is left alone for this long. */
const pauseMs = 1000;

interface Parts {
  readonly service: InvoiceService;
  readonly clock: Clock;
  readonly log: Log;
  readonly health: ServiceHealth;
  readonly timing: Timing;
}

export function createPaymentOptionsCache({ service, clock, log, health, timing }: Parts): PaymentOptionsCache {
  const entries = new Map<string, Entry>();
  const flights = new Map<string, Promise<void>>();

  const keep = (key: string, entry: Entry): void => {
    entries.delete(key);
    entries.set(key, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= maxEntries) break;
      entries.delete(oldest);
    }
  };

  const ask = async (amount: string | undefined, key: string): Promise<void> => {
    try {
      const options = await withTimeout(clock, timing.optionsMs, (signal) =>
        service.fetchPaymentOptions(amount, signal),
      );
      health.answered();
      keep(key, { options, at: clock.now(), until: clock.now() + timing.optionsFreshMs });
    } catch (error) {
      health.failed();
      log('warn', 'options_failed', errorFields(error));
      const known = entries.get(key);
      keep(key, { options: known?.options, at: known?.at ?? 0, until: clock.now() + pauseMs });
    }
  };

  return {
    async get(amount) {
      const key = amount ?? '';
      if (clock.now() >= (entries.get(key)?.until ?? 0)) {
        const flight = flights.get(key) ?? ask(amount, key).finally(() => flights.delete(key));
        flights.set(key, flight);
        await flight;
      }
      const known = entries.get(key);
      if (known?.options === undefined) return undefined;
      const age = clock.now() - known.at;
      return age > timing.optionsStaleMs ? undefined : { options: known.options, stale: age > timing.optionsFreshMs };
    },
    forget: () => entries.clear(),
  };
}
