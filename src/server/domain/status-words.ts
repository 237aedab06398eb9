import type { InvoiceOutcome } from '../ports/attempt.ts';

/**
 * What the service's status words mean. The service's specification names only two words (section 3). Case is ignored. A word
 * in none of the lists never ends an invoice: the checkout stays `pending`, even after the deadline.
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

/** The first word that is in two lists, with the names of the lists; undefined when there is no such word. */
export function repeatedStatus(
  lists: StatusLists,
):
  { readonly word: string; readonly meaning: keyof StatusLists; readonly otherMeaning: keyof StatusLists } | undefined {
  const meaningByWord = new Map<string, keyof StatusLists>();
  for (const meaning of meanings)
    for (const word of lists[meaning].map((text) => text.trim().toLowerCase())) {
      const otherMeaning = meaningByWord.get(word);
      if (otherMeaning !== undefined && otherMeaning !== meaning) return { word, meaning, otherMeaning };
      meaningByWord.set(word, meaning);
    }
  return undefined;
}

/** What a status word means. `unlisted`: the word is in none of the lists, or it is missing or empty. */
export function readStatus(status: string | undefined, statuses: StatusLists): InvoiceOutcome | 'unlisted' {
  const word = status?.trim().toLowerCase() ?? '';
  if (word === '') return 'unlisted';
  return meanings.find((meaning) => statuses[meaning].some((known) => known.toLowerCase() === word)) ?? 'unlisted';
}

/** Whether a status is a word that is in none of the lists. An empty status is not a word. */
export function isUnlistedStatus(status: string, statuses: StatusLists): boolean {
  return status.trim() !== '' && readStatus(status, statuses) === 'unlisted';
}
