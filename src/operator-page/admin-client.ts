import type {
  CheckoutPage,
  CheckoutWithOutcomes,
  LinkedCheckout as LinkedMerchantCheckout,
  MerchantCheckout,
  MerchantInvoice,
  OutcomeRecord,
} from '../server.ts';

// The admin API (docs/standalone-server.md) as the operator's page uses it. Amounts are decimal strings, times RFC 3339.

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;
type Time<Value> = Value extends number ? string : Value;

/** A record of the server as it is in JSON. */
type Json<Value> = Value extends readonly (infer Item)[]
  ? readonly Json<Item>[]
  : Value extends object
    ? {
        readonly [Name in keyof Value as SnakeCase<Name & string>]: Name extends 'at' | `${string}At`
          ? Time<Value[Name]>
          : Json<Value[Name]>;
      }
    : Value;

export type Checkout = Json<MerchantCheckout>;
export type CheckoutDetails = Json<CheckoutWithOutcomes>;
/** The answer of a create and of a link. */
export type LinkedCheckout = Json<LinkedMerchantCheckout> & { readonly url: string };
export type Checkouts = Json<CheckoutPage>;
export type Invoice = Json<MerchantInvoice>;
export type Outcome = Json<OutcomeRecord>;

/** A segment of a path. Another text, such as `..`, or `..%2F` in a proxy that decodes it, would make another path. */
const segmentPattern = /^[\w-][\w.-]*$/;

/** The page comes from the server that answers, so the members of an answer are not checked. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller names the type
const isObject = <T>(json: unknown): json is T => typeof json === 'object' && json !== null;

/**
 * Sends a request with the admin token: a POST where there is a body. `path` is below `/admin`. Where a segment cannot be
 * one, there is nothing, and the token is sent nowhere.
 * @throws DOMException whose name is the problem's code, or `network`, and whose message says what is wrong
 */
export async function callAdmin<T>(
  token: string,
  path: readonly string[],
  query: Readonly<Record<string, string | number>> = {},
  body?: object,
): Promise<T> {
  if (!path.every((segment) => segmentPattern.test(segment))) throw new DOMException('', 'not_found');
  const given = Object.entries(query).flatMap(([name, value]) => (value === '' ? [] : [[name, String(value)]])); // a field of the form that was left empty
  const response = await fetch(`admin/${path.join('/')}?${new URLSearchParams(given).toString()}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  }).catch(() => undefined);
  // An answer that is no JSON is a proxy's page.
  const json: unknown = await response?.json().catch(() => undefined);
  if (response?.ok === true && isObject<T>(json)) return json;
  const { code, detail, title } = isObject<Partial<Record<'code' | 'detail' | 'title', string>>>(json) ? json : {};
  throw new DOMException(detail ?? title ?? `HTTP ${response?.status ?? '–'}`, code ?? 'network');
}
