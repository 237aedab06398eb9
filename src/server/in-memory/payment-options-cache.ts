import type { PaymentOption } from '../../contract.ts';
import { withTimeout, type Clock } from '../../base/clock.ts';
import type { ServiceHealth } from './service-health.ts';
import { isRateLimited, type InvoiceService } from '../ports/invoice-service.ts';
import { errorFields, type Log } from '../ports/log.ts';
import type { Timing } from '../timing-and-limit-defaults.ts';

/** The last payment options that the service returned. */
export interface KnownOptions {
  readonly options: readonly PaymentOption[];
  /** true: the service does not answer, and the options are older than `timing.optionsFreshMs`. */
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
  /** When the options were fetched. */
  readonly fetchedAt: number;
  /** From this time on, the options may be fetched again. */
  readonly nextFetchAt: number;
}

const maxEntries = 1000;
/** The key of the list of all options, which no amount filters. */
const unfilteredKey = '';
/** The pause after a failed fetch, in milliseconds. */
const pauseMs = 1000;

interface Parts {
  readonly service: InvoiceService;
  readonly clock: Clock;
  readonly log: Log;
  readonly health: ServiceHealth;
  /** Counts each use of the list of all options for an amount, which is the last resort. */
  readonly instrumentation: { readonly countUnfilteredOptions: (reason: 'rate_limit' | 'failure') => void };
  readonly timing: Timing;
}

export function createPaymentOptionsCache(parts: Parts): PaymentOptionsCache {
  const { service, clock, log, health, instrumentation, timing } = parts;
  const entries = new Map<string, Entry>();
  const pendingFetches = new Map<string, Promise<void>>();
  /** Whether the last call had no usable response. Calls that a rate limit prevented do not count. */
  let isFailing = false;

  const putEntry = (key: string, entry: Entry): void => {
    entries.delete(key);
    entries.set(key, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= maxEntries) break;
      if (oldest !== unfilteredKey) entries.delete(oldest);
    }
  };

  const fetchOptions = async (amount: string | undefined, key: string): Promise<void> => {
    try {
      const options = await withTimeout(clock, timing.optionsMs, (signal) =>
        service.fetchPaymentOptions(amount, signal),
      );
      health.noteResponse();
      isFailing = false;
      putEntry(key, { options, fetchedAt: clock.now(), nextFetchAt: clock.now() + timing.optionsFreshMs });
    } catch (error) {
      if (isRateLimited(error)) return;
      health.noteFailure();
      isFailing = true;
      log('warn', 'options_failed', errorFields(error));
      const entry = entries.get(key);
      putEntry(key, {
        options: entry?.options,
        fetchedAt: entry?.fetchedAt ?? 0,
        nextFetchAt: clock.now() + pauseMs,
      });
    }
  };

  /** Fetches the options of an amount, unless they are fresh or a fetch has just failed. */
  const refresh = async (amount: string | undefined): Promise<void> => {
    const key = amount ?? unfilteredKey;
    if (clock.now() < (entries.get(key)?.nextFetchAt ?? 0)) return;
    const call = pendingFetches.get(key) ?? fetchOptions(amount, key).finally(() => pendingFetches.delete(key));
    pendingFetches.set(key, call);
    await call;
  };

  const isUsable = (entry: Entry | undefined): boolean =>
    entry?.options !== undefined && clock.now() - entry.fetchedAt <= timing.optionsStaleMs;

  /** Refreshes the list of all options. Waits for the fetch only when no usable list is cached. */
  const refreshUnfiltered = async (): Promise<void> => {
    const call = refresh(undefined);
    if (!isUsable(entries.get(unfilteredKey))) await call;
  };

  return {
    async get(amount) {
      const key = amount ?? unfilteredKey;
      await refresh(amount);
      // The rate limit prevented the fetch: the list of all options is used for this amount.
      const isRateLimit = amount !== undefined && clock.now() >= (entries.get(key)?.nextFetchAt ?? 0);
      if (isRateLimit) await refreshUnfiltered();
      const filtered = entries.get(key);
      const unfiltered = entries.get(unfilteredKey);
      const isFilteredCurrent = (filtered?.fetchedAt ?? 0) >= (unfiltered?.fetchedAt ?? 0) - timing.optionsFreshMs;
      const entry = isUsable(filtered) && isFilteredCurrent ? filtered : unfiltered;
      if (entry?.options === undefined || !isUsable(entry)) return undefined;
      if (entry !== filtered) instrumentation.countUnfilteredOptions(isRateLimit ? 'rate_limit' : 'failure');
      return { options: entry.options, stale: isFailing && clock.now() - entry.fetchedAt > timing.optionsFreshMs };
    },
    forget: () => entries.clear(),
  };
}
