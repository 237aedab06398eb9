/**
 * The milliseconds that a `Retry-After` asks for, in both of its forms. A date is counted from the server's own `Date`,
 * never from the device's clock; without that it says nothing.
 */
export function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get('Retry-After');
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.parse(headers.get('Date') ?? '');
  return ms >= 0 ? ms : undefined;
}
