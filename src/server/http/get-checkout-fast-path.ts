import type { CheckoutResponse, OnDisconnect, RequestHead } from './responses.ts';

/**
 * Handles `GET {endpoint}/{checkout}` without a `Request`, with the same responses as `handle`. `path` is the request's path;
 * a mount prefix may be missing. A cached 304 is returned synchronously. The result is undefined for any other method or path,
 * and for a path with a query: such a request has to be passed to `handle`.
 */
export type GetCheckoutFastPath = (
  path: string,
  head: RequestHead,
  onDisconnect: OnDisconnect,
) => CheckoutResponse | Promise<CheckoutResponse> | undefined;

/** By checkout server. It is no member of the server's public interface, because only the adapter for `node:http` calls it. */
const fastPaths = new WeakMap<object, GetCheckoutFastPath>();

export function setFastPath(server: object, fastPath: GetCheckoutFastPath): void {
  fastPaths.set(server, fastPath);
}

/** The fast path of a checkout server; undefined for another object that serves the API, such as a wrapper of one. */
export function fastPathOf(server: object): GetCheckoutFastPath | undefined {
  return fastPaths.get(server);
}
