/** Which entries of `X-Forwarded-For` are trusted. */
export interface ProxyTrust {
  /** The number of the merchant's own proxies, each of which appends one entry. 0 (the default) trusts no entry. */
  readonly trustedProxies?: number;
}

/**
 * The client's address: the `X-Forwarded-For` entry of the outermost trusted proxy, or the connection's address without such an
 * entry. The client may have forged the entries before it.
 */
export function clientAddress(
  forwardedFor: string | undefined,
  connection: string | undefined,
  { trustedProxies = 0 }: ProxyTrust,
): string | undefined {
  if (trustedProxies <= 0) return connection;
  const entry = forwardedFor?.split(',').at(-trustedProxies)?.trim() ?? '';
  return entry === '' ? connection : withoutPort(entry);
}

/** Removes the port. Some proxies append it, and it changes with every connection. */
function withoutPort(address: string): string {
  const [, ipv6, ipv4] = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(address) ?? [];
  return ipv6 ?? ipv4 ?? address;
}

/**
 * The part of an address that identifies a client: an IPv4 address, or the first 64 bits of an IPv6 address, because
 * one client usually has a whole /64. An IPv4-mapped IPv6 address becomes the IPv4 address. Any other text is returned
 * unchanged.
 */
export function networkPrefix(address: string): string {
  const [withoutZone = ''] = address.split('%');
  if (!withoutZone.includes(':') || !URL.canParse(`http://[${withoutZone}]`)) return address;
  const groups = ipv6Groups(new URL(`http://[${withoutZone}]`).hostname.slice(1, -1));
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.');
  const prefixGroups = groups.slice(0, 4).map((group) => group.toString(16));
  return `${prefixGroups.join(':')}::/64`;
}

/** The eight groups of an IPv6 address in the form of URLs: hexadecimal, with at most one `::`. */
function ipv6Groups(address: string): readonly number[] {
  const [before = [], after = []] = address
    .split('::')
    .map((part) => (part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))));
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}
