import { canonicalDecimal } from '../../base/decimal.ts';
import type { PaymentOption } from '../../service-api.ts';
import { withTimeout } from '../../base/clock.ts';
import type { ServerContext } from '../server-context.ts';
import { InvoiceServiceError, isRateLimited } from '../ports/invoice-service.ts';
import { errorFields } from '../ports/log.ts';

/** The `Retry-After` of a response when the invoice service does not answer, in milliseconds. */
export const outageRetryMs = 3000;

/** The last payment options that the service returned. */
export interface KnownOptions {
  readonly options: readonly PaymentOption[];
  /** true: the service does not answer, and the options are older than `optionsFreshMs`. */
  readonly stale: boolean;
}

interface Entry {
  /** The result of the last fetch. A fetch that the rate limit prevents leaves no result. */
  readonly result: 'ok' | 'refused' | 'failed';
  readonly options: readonly PaymentOption[] | undefined;
  /** When the options were fetched. */
  readonly fetchedAt: number;
  /** From this time on, the options may be fetched again. */
  readonly nextFetchAt: number;
}

const maxEntries = 1000;
/** The key of the list of all options, which no amount filters. */
const unfilteredKey = '';
/** How long payment options are fresh, in milliseconds. */
const optionsFreshMs = 30_000;
/** How long payment options may be shown while the service does not answer, in milliseconds. */
const optionsStaleMs = 600_000;
/** The timeout of one FetchPaymentOptions, in milliseconds. */
const fetchTimeoutMs = 4000;
/** The pause after a failed fetch, in milliseconds. */
const pauseMs = 1000;
/** Statuses by which the service refuses the request itself, and not its sender. */
const requestErrorStatuses: readonly number[] = [400, 409, 422];

const isAmountRefused = (error: unknown): boolean =>
  error instanceof InvoiceServiceError &&
  error.failure === 'refused' &&
  requestErrorStatuses.includes(error.httpStatus);

/** Caches payment options by amount; concurrent requests share one call. */
export function createPaymentOptionsCache(context: ServerContext) {
  const { service, clock, log, health, instrumentation } = context;
  const entries = new Map<string, Entry>();
  const pendingFetches = new Map<string, Promise<Entry['result'] | 'rate_limit'>>();
  /** Whether the last call had no usable response. Calls that a rate limit prevented do not count. */
  let isFailing = false;

  const putEntry = (key: string, entry: Entry): Entry['result'] => {
    entries.delete(key);
    entries.set(key, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= maxEntries) break;
      if (oldest !== unfilteredKey) entries.delete(oldest);
    }
    return entry.result;
  };

  const fetchOptions = async (amount: string | undefined, key: string): Promise<Entry['result'] | 'rate_limit'> => {
    try {
      const options = await withTimeout(clock, fetchTimeoutMs, (signal) => service.fetchPaymentOptions(amount, signal));
      health.noteResponse();
      isFailing = false;
      const now = clock.now();
      return putEntry(key, { result: 'ok', options, fetchedAt: now, nextFetchAt: now + optionsFreshMs });
    } catch (error) {
      if (isRateLimited(error)) return 'rate_limit';
      const now = clock.now();
      if (amount !== undefined && isAmountRefused(error)) {
        health.noteResponse();
        isFailing = false;
        log('warn', 'options_refused', { amount, ...errorFields(error) });
        return putEntry(key, {
          result: 'refused',
          options: undefined,
          fetchedAt: 0,
          nextFetchAt: now + optionsFreshMs,
        });
      }
      health.noteFailure();
      isFailing = true;
      log('warn', 'options_failed', errorFields(error));
      const { options, fetchedAt = 0 } = entries.get(key) ?? {};
      return putEntry(key, { result: 'failed', options, fetchedAt, nextFetchAt: now + pauseMs });
    }
  };

  /** Fetches the options of an amount, unless they are fresh, refused, or a fetch has just failed. */
  const refresh = async (amount: string | undefined, key: string): Promise<Entry['result'] | 'rate_limit'> => {
    const entry = entries.get(key);
    if (entry !== undefined && clock.now() < entry.nextFetchAt) return entry.result;
    const call = pendingFetches.get(key) ?? fetchOptions(amount, key).finally(() => pendingFetches.delete(key));
    pendingFetches.set(key, call);
    return call;
  };

  const isUsable = (entry: Entry | undefined, now: number): entry is Entry & { readonly options: object } =>
    entry?.options !== undefined && now - entry.fetchedAt <= optionsStaleMs;

  const known = ({ options = [], fetchedAt }: Entry, now: number): KnownOptions => ({
    options,
    stale: isFailing && now - fetchedAt > optionsFreshMs,
  });

  return {
    /**
     * The options for an amount, which the service has filtered. When the service was not asked for the amount or refused it, the
     * options for all amounts; their limits then decide. undefined: the service does not answer, and no options younger than
     * `optionsStaleMs` are cached.
     */
    async get(amount: string | undefined): Promise<KnownOptions | undefined> {
      const key = amount === undefined ? unfilteredKey : canonicalDecimal(amount);
      const result = await refresh(amount, key);
      if (amount !== undefined && (result === 'rate_limit' || result === 'refused')) {
        const call = refresh(undefined, unfilteredKey);
        if (!isUsable(entries.get(unfilteredKey), clock.now())) await call;
      }
      const now = clock.now();
      const filtered = entries.get(key);
      const unfiltered = entries.get(unfilteredKey);
      const isFilteredCurrent = (filtered?.fetchedAt ?? 0) >= (unfiltered?.fetchedAt ?? 0) - optionsFreshMs;
      if (isUsable(filtered, now) && isFilteredCurrent) return known(filtered, now);
      if (!isUsable(unfiltered, now)) return undefined;
      // An entry that another caller has renewed or dropped meanwhile has failed for this caller.
      if (amount !== undefined) instrumentation.countUnfilteredOptions(result === 'ok' ? 'failed' : result);
      return known(unfiltered, now);
    },
    /**
     * Makes every list be fetched again before it is used. Call it when a response of the service contradicts the cached options.
     * The lists are kept for the case that the service does not answer.
     */
    expire(): void {
      for (const [key, entry] of entries) entries.set(key, { ...entry, nextFetchAt: 0 });
    },
  };
}

export type PaymentOptionsCache = ReturnType<typeof createPaymentOptionsCache>;
