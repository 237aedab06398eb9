import type { CheckoutResponse, OnDisconnect, RequestHead } from './responses.ts';

/**
 * A faster path for `GET {endpoint}/{checkout}` with the same responses as `handle`. `path` is the request's path; a mount
 * prefix may be missing. The result is synchronous when the response is a cached 304, and undefined for every other request,
 * which has to be passed to `handle`.
 */
export type DirectRead = (
  path: string,
  head: RequestHead,
  onDisconnect: OnDisconnect,
) => CheckoutResponse | Promise<CheckoutResponse> | undefined;

/** Kept here and not on the server: it is no part of the public interface, and only the adapter for `node:http` calls it. */
const reads = new WeakMap<object, DirectRead>();

export function setDirectRead(server: object, read: DirectRead): void {
  reads.set(server, read);
}

/** The path of a checkout server; undefined for another object that serves the API, such as a wrapper of one. */
export function directReadOf(server: object): DirectRead | undefined {
  return reads.get(server);
}
