import type { Checkout } from '../protocol.ts';
import { isOver, refine } from './deadline.ts';
import type { CheckoutIssue, Model, Query } from './model.ts';
import { connected } from './state.ts';
import { selectState } from './select-state.ts';
import { validateCheckout } from './validate-checkout.ts';

/** A checkout that came from the backend. */
export interface Answer {
  readonly checkout: Checkout;
  /** When it came, on the monotonic clock. */
  readonly now: number;
  /** The number of the request that it answers, in the order of their starts; a create's is taken when it ends. */
  readonly number: number;
  /** What was asked for besides, and the entity tag of the answer to that. */
  readonly query?: Query;
  readonly etag?: string | undefined;
  /** How old it is is not known, so it tells no time. */
  readonly undated?: boolean;
}

/** The model after a request got through: whatever it said, the connection is there. */
export function reached(model: Model, number: number): Model {
  return { ...model, applied: number, connection: connected, lost: undefined, asking: false };
}

/** Options may be left out while an invoice waits; those that are known are still there for going back. */
function withOptions(model: Model, { checkout, query }: Answer): Checkout {
  const omitted = checkout.status === 'pending' && !checkout.options.length && !query?.options;
  return omitted ? { ...checkout, options: model.checkout?.options ?? [] } : checkout;
}

/** Whether an answer settles what was asked for: an invoice that was not there before. */
function settlesAsk({ ask }: Model, { status, invoice }: Checkout): boolean {
  if (status === 'paid') return true;
  return !!ask && !!invoice && status !== 'open' && invoice.id !== ask.before;
}

function mergeFindings(model: Model, id: string, errors: readonly CheckoutIssue['error'][]): readonly CheckoutIssue[] {
  const fresh = errors
    .map((error) => ({ key: `${error.code} ${String(error.field)} ${id}`, error }))
    .filter(({ key }) => model.findings.every((finding) => finding.key !== key));
  return [...model.findings, ...fresh];
}

/** The model after a checkout came. Paid absorbs, and what is older than the last answer is dropped. */
export function applyResponse(before: Model, answer: Answer): Model {
  if (answer.number < before.applied) return before;
  const model = reached(before, answer.number);
  if (before.checkout?.status === 'paid' && answer.checkout.status !== 'paid') return model;

  const settled = settlesAsk(model, answer.checkout);
  const invoiceId = answer.checkout.invoice?.id ?? '';
  const typed = settled && model.ask?.request.amount;
  const pledged = typed ? { id: invoiceId, amount: typed } : model.pledged;
  const agreed = answer.checkout.amount ?? (pledged?.id === invoiceId ? pledged.amount : undefined);
  const { checkout, mismatch, findings } = validateCheckout(withOptions(model, answer), agreed, model.page);

  const same = invoiceId === model.invoiceId;
  const left = checkout.invoice?.expires_in_ms;
  const deadline = refine(same ? model.deadline : undefined, left, answer.now, !answer.undated);
  const shownId = checkout.invoice?.id;
  const next: Model = {
    ...model,
    checkout,
    invoiceId,
    mismatch: checkout.status === 'pending' ? mismatch : undefined,
    answered: { query: answer.query ?? {}, etag: answer.etag },
    pledged,
    ask: settled ? undefined : model.ask,
    left: settled ? undefined : model.left,
    deadline,
    since: same ? model.since : answer.now,
    checking: checkout.status === 'pending' && isOver(deadline, answer.now),
    long: same && model.long,
    ready: model.ready || !!shownId || checkout.options.length > 0,
    shown: !shownId || model.shown.includes(shownId) ? model.shown : [...model.shown, shownId],
    findings: mergeFindings(model, invoiceId, findings),
  };
  return selectState(next).status === 'choosing' ? next : { ...next, refusal: undefined };
}
