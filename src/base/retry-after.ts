/** The `Retry-After` header in whole seconds, at least one: of the checkout API, of the admin API and of the pay page. */
export function retryAfter(ms: number): Readonly<Record<'retry-after', string>> {
  return { 'retry-after': String(Math.max(1, Math.ceil(ms / 1000))) };
}
