import type { InvoiceOutcome } from '../ports/checkout-store.ts';

/**
 * What the service's status words mean; its specification names only two of them (section 3). Words are compared without
 * regard to case. A word in none of the lists never ends an invoice: the checkout stays `pending`, also after the deadline.
 */
export interface StatusLists {
  readonly paid: readonly string[];
  readonly failed: readonly string[];
  readonly expired: readonly string[];
  /** Only an invoice with one of these words expires by time: after its deadline and `timing.graceMs`. */
  readonly pending: readonly string[];
}

export const defaultStatuses: StatusLists = {
  paid: ['PAID'],
  failed: ['FAILED'],
  expired: ['EXPIRED'],
  pending: ['PENDING'],
};

const meanings = ['paid', 'failed', 'expired', 'pending'] as const;

/** The first word that is in two lists; undefined when there is none. */
export function repeatedStatus(
  lists: StatusLists,
): { readonly word: string; readonly meaning: keyof StatusLists; readonly other: keyof StatusLists } | undefined {
  const known = new Map<string, keyof StatusLists>();
  for (const meaning of meanings)
    for (const word of lists[meaning].map((text) => text.trim().toLowerCase())) {
      const other = known.get(word);
      if (other !== undefined && other !== meaning) return { word, meaning, other };
      known.set(word, meaning);
    }
  return undefined;
}

/** What a status word means: `unlisted` for a word in none of the lists, and for a missing or empty one. */
export function readStatus(status: string | undefined, statuses: StatusLists): InvoiceOutcome | 'unlisted' {
  const word = status?.trim().toLowerCase() ?? '';
  if (word === '') return 'unlisted';
  return meanings.find((meaning) => statuses[meaning].some((known) => known.toLowerCase() === word)) ?? 'unlisted';
}

/** Whether the service said a word that is in none of the lists. Missing and empty words say nothing. */
export function isUnlistedStatus(status: string, statuses: StatusLists): boolean {
  return status.trim() !== '' && readStatus(status, statuses) === 'unlisted';
}
