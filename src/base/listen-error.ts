/** The names of what sets a program's port and host. */
interface PlaceNames {
  readonly port: string;
  readonly host: string;
}

/** Why a program cannot listen, and what to do, as one line; undefined for any other error. */
export function describeListenError(error: Error, names: PlaceNames): string | undefined {
  const { code = '', syscall, port = '' }: NodeJS.ErrnoException & { readonly port?: unknown } = error;
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return undefined;
  const isOfPort = code === 'EADDRINUSE' || code === 'EACCES';
  if (!isOfPort)
    return `the host cannot be used (${code}): set ${names.host} to an address of this machine, such as 127.0.0.1, or to 0.0.0.0 for all`;
  const reason = code === 'EACCES' ? 'this user may not open it' : 'another program is on it';
  return `port ${String(port)} cannot be used (${code}): ${reason}; choose another by ${names.port}`;
}
