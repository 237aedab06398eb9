import type { PaymentOption } from '../../contract.ts';
import { withTimeout, type Clock } from '../../base/clock.ts';
import type { ServiceHealth } from './service-health.ts';
import { isRateLimited, type InvoiceService } from '../ports/invoice-service.ts';
import { errorFields, type Log } from '../ports/log.ts';
import type { Timing } from '../timing-and-limit-defaults.ts';

/** The last payment options that the service returned. */
export interface KnownOptions {
  readonly options: readonly PaymentOption[];
  /** The service does not answer, and the options are older than `timing.optionsFreshMs`. */
  readonly stale: boolean;
}

/** Caches payment options by amount; concurrent requests share one call. */
export interface PaymentOptionsCache {
  /** undefined: the service does not answer, and no options younger than `timing.optionsStaleMs` are cached. */
  get(amount: string | undefined): Promise<KnownOptions | undefined>;
  /** Clears the cache. Call it when a response of the service contradicts the cached options. */
  forget(): void;
}

interface Entry {
  readonly options: readonly PaymentOption[] | undefined;
  readonly at: number;
  /** The next call may be made at this time. */
  readonly until: number;
}

const maxEntries = 1000;
/** The key of the list of all options. */
const unfiltered = '';
/** The pause after a failed call. */
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
  const pending = new Map<string, Promise<void>>();
  /** Whether the service failed to answer the last call. Calls that a rate limit prevented do not count. */
  let isFailing = false;

  const store = (key: string, entry: Entry): void => {
    entries.delete(key);
    entries.set(key, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= maxEntries) break;
      if (oldest !== unfiltered) entries.delete(oldest);
    }
  };

  const fetchOptions = async (amount: string | undefined, key: string): Promise<void> => {
    try {
      const options = await withTimeout(clock, timing.optionsMs, (signal) =>
        service.fetchPaymentOptions(amount, signal),
      );
      health.answered();
      isFailing = false;
      store(key, { options, at: clock.now(), until: clock.now() + timing.optionsFreshMs });
    } catch (error) {
      if (isRateLimited(error)) return;
      health.failed();
      isFailing = true;
      log('warn', 'options_failed', errorFields(error));
      const known = entries.get(key);
      store(key, { options: known?.options, at: known?.at ?? 0, until: clock.now() + pauseMs });
    }
  };

  /** Fetches the options of an amount, unless they are fresh or a call has just failed. */
  const refresh = async (amount: string | undefined): Promise<void> => {
    const key = amount ?? unfiltered;
    if (clock.now() < (entries.get(key)?.until ?? 0)) return;
    const call = pending.get(key) ?? fetchOptions(amount, key).finally(() => pending.delete(key));
    pending.set(key, call);
    await call;
  };

  const isUsable = (entry: Entry | undefined): boolean =>
    entry?.options !== undefined && clock.now() - entry.at <= timing.optionsStaleMs;

  /** Refreshes the list of all options. Waits for the call only when no usable list is cached. */
  const refreshUnfiltered = async (): Promise<void> => {
    const call = refresh(undefined);
    if (!isUsable(entries.get(unfiltered))) await call;
  };

  return {
    async get(amount) {
      const key = amount ?? unfiltered;
      await refresh(amount);
      // The call was not made, because of the rate limit: the list of all options serves every amount.
      if (amount !== undefined && clock.now() >= (entries.get(key)?.until ?? 0)) await refreshUnfiltered();
      const own = entries.get(key);
      const all = entries.get(unfiltered);
      const known = isUsable(own) && (own?.at ?? 0) >= (all?.at ?? 0) - timing.optionsFreshMs ? own : all;
      if (known?.options === undefined || !isUsable(known)) return undefined;
      return { options: known.options, stale: isFailing && clock.now() - known.at > timing.optionsFreshMs };
    },
    forget: () => entries.clear(),
  };
}
