import type { CheckoutResponse, OnDisconnect, RequestHead } from './responses.ts';

/**
 * Handles `GET {endpoint}/{checkout}` without a `Request`, with the same responses as `handle`. `path` is the request's path;
 * a mount prefix may be missing. A cached 304 is returned synchronously. Returns undefined for any other method or path and for
 * a path with a query; pass such a request to `handle`.
 */
export type GetCheckoutFastPath = (
  path: string,
  head: RequestHead,
  onDisconnect: OnDisconnect,
) => CheckoutResponse | Promise<CheckoutResponse> | undefined;

/** The fast path of each checkout server. It is not in the server's public interface: only the `node:http` adapter needs it. */
const fastPaths = new WeakMap<object, GetCheckoutFastPath>();

export function setFastPath(server: object, fastPath: GetCheckoutFastPath): void {
  fastPaths.set(server, fastPath);
}

/** The fast path of a checkout server; undefined for any other object, such as a wrapper of a checkout server. */
export function fastPathOf(server: object): GetCheckoutFastPath | undefined {
  return fastPaths.get(server);
}
