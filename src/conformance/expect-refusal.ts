import type { ProblemCode } from '../protocol.ts';
import type { CreateOverrides, Exchange } from './backend-client.ts';
import { expectProblem, firstUsableOption, type CheckContext } from './check.ts';
import { opened } from './checks/get-checkout.ts';

/** The body of a valid write, for checks that make another part of the request invalid. */
export async function goodBody(context: CheckContext): Promise<object> {
  return { payment_method_id: firstUsableOption((await opened(context)).seen).id };
}

/** Throws a `Violation` unless a write of this body is refused with the status and the code. */
export async function expectRefusal(
  context: CheckContext,
  body: object,
  status: number,
  code: ProblemCode,
  overrides?: CreateOverrides,
): Promise<void> {
  expectProblem(await context.backend.create(context.checkout, body, overrides), [status], [code]);
}

/** Throws a `Violation` unless a valid write with each of these changes is refused as an invalid request, with the status. */
export async function expectInvalid(
  context: CheckContext,
  changes: readonly CreateOverrides[],
  status: number,
): Promise<void> {
  const body = await goodBody(context);
  for (const change of changes) await expectRefusal(context, body, status, 'invalid_request', change);
}

/**
 * Throws a `Violation` unless a write is answered with 422 that is valid except for its payment method, which does not exist.
 * The 422 shows that everything else was accepted, and nothing is created.
 */
export async function expectAccepted(context: CheckContext, overrides: CreateOverrides = {}): Promise<Exchange> {
  const exchange = await context.backend.create(context.checkout, unknownMethodBody, overrides);
  expectProblem(exchange, [422], ['method_unavailable']);
  return exchange;
}

export const unknownMethodBody = { payment_method_id: 'pm_that_does_not_exist' };
