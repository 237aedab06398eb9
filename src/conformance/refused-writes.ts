import type { CreateOverrides, Exchange } from './backend-client.ts';
import { expectProblem, firstUsableOption, type CheckContext } from './check.ts';
import { opened } from './checks/get-checkout.ts';

/** A body that would be right if nothing else were wrong. */
export async function goodBody(context: CheckContext): Promise<object> {
  return { payment_method_id: firstUsableOption((await opened(context)).seen).id };
}

/** Each sending is refused as an invalid request, with the status. */
export async function refused(
  context: CheckContext,
  sendings: readonly CreateOverrides[],
  status: number,
): Promise<void> {
  const body = await goodBody(context);
  for (const sending of sendings)
    expectProblem(await context.backend.create(context.checkout, body, sending), [status], ['invalid_request']);
}

/**
 * A write that is right but for its payment method, which does not exist, is answered with 422: nothing is created, and
 * whatever comes before the method is accepted.
 */
export async function accepted(context: CheckContext, sending: CreateOverrides = {}): Promise<Exchange> {
  const exchange = await context.backend.create(context.checkout, unknownMethodBody, sending);
  expectProblem(exchange, [422], ['method_unavailable']);
  return exchange;
}

export const unknownMethodBody = { payment_method_id: 'pm_that_does_not_exist' };
