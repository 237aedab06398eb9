import type { Clock } from '../../base/clock.ts';
import type { FetchedInvoice } from '../../service-api.ts';
import { InvoiceServiceError } from '../ports/invoice-service.ts';

/** Splits a FetchInvoices by the number of identifiers that the service takes, which it does not document. */
export interface BatchSizes {
  /** Calls `fetchPart` for parts of the identifiers, and resolves with the invoices of all parts. Empty lists are not sent. */
  fetch(
    ids: readonly string[],
    fetchPart: (part: readonly string[]) => Promise<readonly FetchedInvoice[]>,
  ): Promise<readonly FetchedInvoice[]>;
}

/** After this time a learned size is forgotten, in milliseconds: the service may take more identifiers by then. */
const keepMs = 3_600_000;

/** Statuses by which a service may refuse a list because of its length. */
const lengthStatuses: readonly number[] = [400, 413, 422];

/**
 * Learns the size from results: when the service refuses a list and then takes a shorter one, later lists have at most the
 * length of the shorter one. When the service takes a list of the refused length, the cause was an identifier and not the
 * length, and nothing is learned. The caller halves a refused list, so that the size is found in a few calls.
 */
export function createBatchSizes(clock: Clock): BatchSizes {
  let shortestRefused = Infinity;
  let longestTaken = 0;
  let learnedAt = 0;

  const maxLength = (): number => {
    if (clock.now() - learnedAt > keepMs) shortestRefused = Infinity;
    return shortestRefused > longestTaken && longestTaken > 0 && shortestRefused < Infinity ? longestTaken : Infinity;
  };
  const noteTaken = (length: number): void => {
    if (length >= shortestRefused) shortestRefused = Infinity;
    longestTaken = Math.max(longestTaken, length);
  };
  const noteRefused = (length: number, httpStatus: number): void => {
    // 413 says that the list is too long: half of it is tried next, without a proof.
    if (longestTaken >= length || longestTaken === 0) longestTaken = httpStatus === 413 ? Math.floor(length / 2) : 0;
    shortestRefused = Math.min(shortestRefused, length);
    learnedAt = clock.now();
  };

  return {
    async fetch(ids, fetchPart) {
      const parts = splitEvery(ids, maxLength());
      const results = await Promise.all(
        parts.map(async (part) => {
          try {
            const invoices = await fetchPart(part);
            noteTaken(part.length);
            return invoices;
          } catch (error) {
            if (error instanceof InvoiceServiceError && lengthStatuses.includes(error.httpStatus))
              noteRefused(part.length, error.httpStatus);
            throw error;
          }
        }),
      );
      return results.flat();
    },
  };
}

function splitEvery(ids: readonly string[], length: number): readonly (readonly string[])[] {
  if (ids.length <= length) return ids.length === 0 ? [] : [ids];
  return [ids.slice(0, length), ...splitEvery(ids.slice(length), length)];
}
