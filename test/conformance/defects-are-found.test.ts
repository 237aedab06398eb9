import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listChecks } from '../../src/tools/conformance/run-conformance.ts';
import { runConformanceInProcess } from './run-conformance-in-process.ts';
import { httpDefects } from './defects/http-defects.ts';
import { listDefects } from './defects/seeded-defect.ts';
import { readDefects } from './defects/read-defects.ts';
import { serviceDefects } from './defects/service-defects.ts';
import { unspecifiedDefects } from './defects/unspecified-defects.ts';
import { writeDefects } from './defects/write-defects.ts';

const defects = [readDefects, ...writeDefects, ...httpDefects, ...serviceDefects, unspecifiedDefects].flatMap(
  listDefects,
);

for (const { check, defect, changes, with: otherChecks } of defects)
  test(`${check} reports a violation when ${defect}`, async () => {
    const report = await runConformanceInProcess(changes(), { only: [check, ...otherChecks] });
    const result = report.results.find(({ id }) => id === check);
    assert.equal(result?.verdict, 'violation', JSON.stringify(result));
    for (const text of [result.expected, result.got, result.fix]) assert.ok(text);
  });

test('a violation contains the request that was sent, with its headers and its body', async () => {
  const found = defects.find(({ check }) => check === 'request.cross_site');
  const { results } = await runConformanceInProcess(found?.changes(), { only: ['request.cross_site'] });
  assert.deepEqual(
    results[0]?.request?.filter((line) => !line.startsWith('idempotency-key: ')),
    [
      'POST {checkout}/invoice',
      'content-type: application/json',
      'origin: https://elsewhere.example',
      '{"payment_method_id":"pm_sbp"}',
    ],
  );
});

test('a check of all responses reports the request whose response breaks the rule', async () => {
  const changes = {
    intercept: async (request: Request, next: (request: Request) => Promise<Response>): Promise<Response> => {
      const response = await next(request);
      return request.method === 'DELETE' || request.headers.get('prefer') !== 'wait=soon'
        ? response
        : new Response('goroutine 7 [running]', { status: 200 });
    },
  };
  const { results } = await runConformanceInProcess(changes, { only: ['wait.malformed', 'answers.inner_text'] });
  const [requestLine, ...sentLines] = results.find(({ id }) => id === 'answers.inner_text')?.request ?? [];
  assert.equal(requestLine, 'GET {checkout}');
  assert.ok(sentLines.includes('prefer: wait=soon'), sentLines.join());
});

test('every conformance check is tested with a defect that it reports', () => {
  const checksWithDefect = new Set(defects.map(({ check }) => check));
  assert.deepEqual(
    listChecks()
      .map(({ id }) => id)
      .filter((id) => !checksWithDefect.has(id)),
    [],
  );
});

test('no check that runs alone reports a violation for a correct backend', async () => {
  for (const { id } of listChecks()) {
    const { results } = await runConformanceInProcess({}, { only: [id] });
    assert.ok(
      results.every(({ verdict }) => verdict !== 'violation'),
      JSON.stringify(results),
    );
  }
});
