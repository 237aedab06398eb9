/**
 * A text of the service as it may stand in a log: without the token, without links and capabilities (it may repeat the
 * address for notifications, which holds both a capability and a secret), without runs of seven or more digits (phones,
 * cards, accounts), without control characters, at most 200 characters.
 */
export function loggable(text: string, token: string): string {
  return text
    .replaceAll(token, '[token]')
    .replace(/https?:[^\s"'<>]*/giu, '[link]')
    .replace(/chk_[^\s"'<>]*/gu, '[checkout]')
    .replace(/\p{Nd}(?:[ ().+-]*\p{Nd}){6,}/gu, '[digits]')
    .replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .slice(0, 200);
}

/** An identifier of the service for a log (`inv_…`, `pm_…`); anything of another shape is not shown. */
export function loggableId(value: unknown): string {
  return typeof value === 'string' && /^[a-z]{2,5}_[A-Za-z0-9_-]{1,64}$/.test(value) ? value : 'unreadable';
}
