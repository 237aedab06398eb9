import type { CheckoutStatus } from '../checkout-api.ts';

/** The admin API (docs/standalone-server.md) as the operator's page uses it. Amounts are decimal strings, times RFC 3339. */

export interface Checkout {
  readonly id: string;
  readonly order_id: string;
  readonly reference: string | null;
  readonly description: string | null;
  readonly status: CheckoutStatus;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly created_at: string;
  readonly paid_at: string | null;
  readonly closed_at: string | null;
  readonly invoices: readonly Invoice[];
}

export interface Invoice {
  readonly id: string | null;
  readonly external_id: string;
  readonly amount: string;
  readonly status: string;
  readonly service_status: string | null;
  readonly status_history: readonly { readonly at: string; readonly status: string }[];
  readonly needs_decision: boolean;
  readonly resolution: { readonly as: 'paid' | 'void'; readonly note: string; readonly at: string } | null;
  readonly method: { readonly name: string } | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly checked_at: string | null;
  readonly next_check_at: string | null;
}

export interface Outcome {
  readonly id: string;
  readonly kind: string;
  readonly external_id: string;
  readonly amount: string;
  readonly occurred_at: string;
  readonly deliveries: readonly Delivery[];
  readonly next_delivery_at: string | null;
  readonly delivered_at: string | null;
  readonly abandoned_at: string | null;
}

export interface Delivery {
  readonly at: string;
  readonly status: number | null;
  readonly error: string | null;
}

export interface CheckoutDetails extends Checkout {
  readonly outcomes: readonly Outcome[];
  readonly actions: readonly { readonly at: string; readonly action: string; readonly target: string | null }[];
}

export interface CheckoutPage {
  readonly checkouts: readonly Checkout[];
  readonly next_cursor: string | null;
}

/** A request failed. `code` is that of the problem document, or `network`; `detail` says which member is wrong. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
  readonly code: string;
  readonly detail: string;

  constructor(code: string, detail: string) {
    super(`${code}: ${detail}`);
    this.code = code;
    this.detail = detail;
  }
}

interface AdminRequest {
  readonly method?: 'GET' | 'POST';
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** The page comes from the server that answers, so the members of an answer are not checked. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the caller names the type
const isObject = <T>(json: unknown): json is T => typeof json === 'object' && json !== null;

/** Sends a request with the admin token. `path` is relative to the page. @throws AdminError */
export async function callAdmin<T>(token: string, path: string, request: AdminRequest = {}): Promise<T> {
  const { method = 'GET', query = {}, body } = request;
  const response = await fetch(`admin/${path}?${new URLSearchParams(query).toString()}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  }).catch(() => undefined);
  // An answer that is no JSON is a proxy's page.
  const json: unknown = await response?.json().catch(() => undefined);
  if (response?.ok === true && isObject<T>(json)) return json;
  const { code, detail, title } = isObject<Partial<Record<'code' | 'detail' | 'title', string>>>(json) ? json : {};
  throw new AdminError(code ?? 'network', detail ?? title ?? `HTTP ${response?.status ?? '–'}`);
}
