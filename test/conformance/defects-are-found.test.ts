import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listChecks } from '../../src/conformance.ts';
import { runInProcess } from './run-in-process.ts';
import { httpDefects } from './defects/http-defects.ts';
import { readDefects } from './defects/read-defects.ts';
import { serviceDefects } from './defects/service-defects.ts';
import { unspecifiedDefects } from './defects/unspecified-defects.ts';
import { writeDefects } from './defects/write-defects.ts';

const defects = [...readDefects, ...writeDefects, ...httpDefects, ...serviceDefects, ...unspecifiedDefects];

for (const { check, defect, changes, with: others = [] } of defects)
  test(`${check} reports a violation when ${defect}`, async () => {
    const report = await runInProcess(changes(), { only: [check, ...others] });
    const result = report.results.find(({ id }) => id === check);
    assert.equal(result?.verdict, 'violation', JSON.stringify(result));
    for (const text of [result.expected, result.got, result.fix]) assert.ok(text);
  });

test('a violation shows the request that was sent, with its headers and its body', async () => {
  const defect = writeDefects.find(({ check }) => check === 'request.cross_site');
  const { results } = await runInProcess(defect?.changes(), { only: ['request.cross_site'] });
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

test('a check of all answers shows the request whose answer breaks the rule', async () => {
  const changes = {
    intercept: async (request: Request, next: (request: Request) => Promise<Response>): Promise<Response> => {
      const response = await next(request);
      return request.method === 'DELETE' || request.headers.get('prefer') !== 'wait=soon'
        ? response
        : new Response('goroutine 7 [running]', { status: 200 });
    },
  };
  const { results } = await runInProcess(changes, { only: ['wait.malformed', 'answers.inner_text'] });
  const [head, ...sent] = results.find(({ id }) => id === 'answers.inner_text')?.request ?? [];
  assert.equal(head, 'GET {checkout}');
  assert.ok(sent.includes('prefer: wait=soon'), sent.join());
});

test('every check has a defect that it reports', () => {
  const failing = new Set(defects.map(({ check }) => check));
  assert.deepEqual(
    listChecks()
      .map(({ id }) => id)
      .filter((id) => !failing.has(id)),
    [],
  );
});

test('no check reports a violation for a correct backend', async () => {
  for (const { id } of listChecks()) {
    const { results } = await runInProcess({}, { only: [id] });
    assert.ok(
      results.every(({ verdict }) => verdict !== 'violation'),
      JSON.stringify(results),
    );
  }
});
