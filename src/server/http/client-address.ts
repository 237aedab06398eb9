/** How many proxies of ours stand in front of the server, and believed about the client's address. */
export interface ProxyTrust {
  /** So many last entries of `X-Forwarded-For` were written by proxies of ours; 0, the default: none is believed. */
  readonly trustedProxies?: number;
}

/**
 * The client's address: what the outermost of our own proxies has seen, else the connection's. Whatever stands before
 * the trusted entries was written by the client itself.
 */
export function clientAddress(
  forwardedFor: string | undefined,
  connection: string | undefined,
  { trustedProxies = 0 }: ProxyTrust,
): string | undefined {
  if (trustedProxies <= 0) return connection;
  const seen = forwardedFor?.split(',').at(-trustedProxies)?.trim() ?? '';
  return seen === '' ? connection : withoutPort(seen);
}

/** Some proxies write the port of the connection too, which changes with every request. */
function withoutPort(address: string): string {
  const [, bracketed, plain] = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(address) ?? [];
  return bracketed ?? plain ?? address;
}
