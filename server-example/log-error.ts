/** Writes one line of JSON to standard error, in the form of the checkout server's own log. */
export function logError(event: string, fields: Readonly<Record<string, string | undefined>>): void {
  console.error(JSON.stringify({ time: new Date().toISOString(), level: 'error', event, ...fields }));
}
