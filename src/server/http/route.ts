/** What an address under the endpoint asks for. */
export type Route =
  | { readonly kind: 'checkout' | 'invoice'; readonly checkoutId: string }
  | { readonly kind: 'hook'; readonly checkoutId: string; readonly secret: string };

/** Wherever the handler is mounted, and whether or not the mount's path was cut off: the end of the path decides. */
const form = /\/(chk_[A-Za-z0-9_-]{22,100})(?:\/(?:(invoice)|hook\/([A-Za-z0-9_-]{10,100})))?$/;

/** The methods of each kind of address. */
export const methodsOf: Readonly<Record<Route['kind'], readonly string[]>> = {
  checkout: ['GET', 'HEAD'],
  invoice: ['POST'],
  hook: ['POST'],
};

/** Reads a path; undefined when it is none of this API's, or its capability cannot be one. */
export function routeOf(path: string): Route | undefined {
  // Stryker disable next-line ArrayDeclaration: Without a second part there is no checkout identifier.
  const [, checkoutId, invoice, secret] = form.exec(path) ?? [];
  if (checkoutId === undefined) return undefined;
  if (secret !== undefined) return { kind: 'hook', checkoutId, secret };
  return { kind: invoice === undefined ? 'checkout' : 'invoice', checkoutId };
}
