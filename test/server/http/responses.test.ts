import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problem, problemCodes, statusOfProblem } from '../../../src/checkout-api.ts';
import { problemResponse, ProblemError, retryAfter } from '../../../src/server/http/responses.ts';

/** Status, headers and document of the response to an error. */
async function partsOf(error: ProblemError): Promise<readonly [number, object, unknown]> {
  const response = problemResponse(error);
  return [response.status, Object.fromEntries(response.headers), await response.json()];
}

for (const code of problemCodes)
  test(`the problem ${code} has the status of its code, and only the members that every problem has`, async () => {
    const status = statusOfProblem(code);
    const [actual, headers, document] = await partsOf(new ProblemError(code));
    const { title } = problem.parse(document);
    assert.deepEqual(document, { type: 'about:blank', title, status, code });
    assert.deepEqual([actual, headers], [status, { 'content-type': 'application/problem+json' }]);
  });

test('a problem contains the facts, status and headers of its error', async () => {
  const facts = { detail: 'amount: is too small', min_amount: '1.00', max_amount: '9.00', trace_id: 'trace' };
  const responseMembers = { status: 413, retryAfterMs: 1500, headers: { allow: 'GET' } } as const;
  const [status, headers, document] = await partsOf(
    new ProblemError('invalid_request', { ...facts, ...responseMembers }),
  );
  const title = 'The request is not valid';
  assert.deepEqual(document, { type: 'about:blank', title, status: 413, code: 'invalid_request', ...facts });
  assert.equal(status, 413);
  assert.deepEqual(headers, { 'content-type': 'application/problem+json', 'retry-after': '2', allow: 'GET' });
});

for (const [ms, seconds] of [
  [0, '1'],
  [1000, '1'],
  [1001, '2'],
] as const)
  test(`${ms} ms are sent as Retry-After: ${seconds}`, () => {
    assert.deepEqual(retryAfter(ms), { 'retry-after': seconds });
  });
