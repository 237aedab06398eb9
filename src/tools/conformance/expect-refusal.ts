import type { ProblemCode } from '../../checkout-api.ts';
import type { CreateOverrides, Exchange } from './backend-client.ts';
import { expectProblem, firstUsableOption, type CheckContext } from './check.ts';
import { readOpenCheckout } from './checks/get-checkout.ts';

/** Builds the body of a valid write, for checks that make another part of the request invalid. */
export async function buildValidBody(context: CheckContext): Promise<object> {
  return { payment_method_id: firstUsableOption((await readOpenCheckout(context)).checkout).id };
}

/** Throws a `Violation` unless a write of this body is refused with the status and the code. */
export async function expectRefusal(
  context: CheckContext,
  body: object,
  status: number,
  code: ProblemCode,
  overrides?: CreateOverrides,
): Promise<void> {
  expectProblem(await context.backend.create(context.capability, body, overrides), [status], [code]);
}

/** Throws a `Violation` unless a valid write with each of the overrides is refused with the status and `invalid_request`. */
export async function expectInvalid(
  context: CheckContext,
  invalidOverrides: readonly CreateOverrides[],
  status: number,
): Promise<void> {
  const body = await buildValidBody(context);
  for (const overrides of invalidOverrides) await expectRefusal(context, body, status, 'invalid_request', overrides);
}

/**
 * Throws a `Violation` unless a write for a payment method that does not exist is answered with 422. The 422 shows that the
 * backend accepted the rest of the request; no invoice is created.
 */
export async function expectAccepted(context: CheckContext, overrides: CreateOverrides = {}): Promise<Exchange> {
  const exchange = await context.backend.create(context.capability, unknownMethodBody, overrides);
  expectProblem(exchange, [422], ['method_unavailable']);
  return exchange;
}

export const unknownMethodBody = { payment_method_id: 'pm_that_does_not_exist' };
