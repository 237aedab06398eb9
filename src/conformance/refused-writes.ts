import type { ProblemCode } from '../protocol.ts';
import type { CreateOverrides, Exchange } from './backend-client.ts';
import { expectProblem, firstUsableOption, type CheckContext } from './check.ts';
import { opened } from './checks/get-checkout.ts';

/** A body that would be right if nothing else were wrong. */
export async function goodBody(context: CheckContext): Promise<object> {
  return { payment_method_id: firstUsableOption((await opened(context)).seen).id };
}

/** A write of this body is refused with the status and the code. */
export async function expectRefusal(
  context: CheckContext,
  body: object,
  status: number,
  code: ProblemCode,
  overrides?: CreateOverrides,
): Promise<void> {
  expectProblem(await context.backend.create(context.checkout, body, overrides), [status], [code]);
}

/** Each of these changes of a good write is refused as an invalid request, with the status. */
export async function expectInvalid(
  context: CheckContext,
  changes: readonly CreateOverrides[],
  status: number,
): Promise<void> {
  const body = await goodBody(context);
  for (const change of changes) await expectRefusal(context, body, status, 'invalid_request', change);
}

/**
 * A write that is right but for its payment method, which does not exist, is answered with 422: nothing is created, and
 * whatever comes before the method is accepted.
 */
export async function expectAccepted(context: CheckContext, overrides: CreateOverrides = {}): Promise<Exchange> {
  const exchange = await context.backend.create(context.checkout, unknownMethodBody, overrides);
  expectProblem(exchange, [422], ['method_unavailable']);
  return exchange;
}

export const unknownMethodBody = { payment_method_id: 'pm_that_does_not_exist' };
