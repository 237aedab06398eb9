// The entry of the backend also has what needs node's sockets. In a page nobody calls it, and the build drops it.
export const TLSSocket = Object;

export function finished(): void {
  throw new Error('a page has no sockets');
}
