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

/**
 * What one customer of a network is given: an IPv4 address, or the first 64 bits of an IPv6 address, in which everybody
 * has as many addresses as he likes. An IPv4 address that is written as IPv6 is the IPv4 address; a text that is no
 * address stays as it is.
 */
export function networkPrefix(address: string): string {
  const [bare = ''] = address.split('%'); // without the zone
  if (!bare.includes(':') || !URL.canParse(`http://[${bare}]`)) return address;
  const groups = ipv6Groups(new URL(`http://[${bare}]`).hostname.slice(1, -1));
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.');
  const first = groups.slice(0, 4).map((group) => group.toString(16));
  return `${first.join(':')}::/64`;
}

/** The eight numbers of an address as URLs write it: in hexadecimal, with at most one gap. */
function ipv6Groups(address: string): readonly number[] {
  const [before = [], after = []] = address
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))));
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}
