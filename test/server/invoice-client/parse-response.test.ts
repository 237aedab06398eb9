import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactForLog } from '../../../src/server/invoice-client/parse-response.ts';

const hook = 'https://shop.example/checkout/chk_AAAAAAAAAAAAAAAAAAAAAA/hook/S3CRETS3CRETS3CRET';

for (const [text, expected] of [
  ['amount: is too small', 'amount: is too small'],
  [`hook_url: "${hook}" is not reachable`, 'hook_url: "[link]" is not reachable'],
  [`{"hook_url":"${hook}","mode":"TEST"}`, '{"hook_url":"[link]","mode":"TEST"}'],
  [`cannot reach ${new URL(hook).pathname}`, 'cannot reach /checkout/[checkout]'],
  [`?to=${encodeURIComponent(hook)}`, '?to=https%3A%2F%2Fshop.example%2Fcheckout%2F[checkout]'],
  [JSON.stringify(hook).replaceAll('/', '\\/'), '"[link]"'],
  ['HTTPS://Pay.Example/inv_1', '[link]'],
  ['Bearer the-token of pm_card', 'Bearer [token] of pm_card'],
  ['call +7 (999) 000-11-22', 'call +[digits]'],
] as const)
  test(`redactForLog changes ${JSON.stringify(text)} to ${JSON.stringify(expected)}`, () => {
    assert.equal(redactForLog(text, 'the-token'), expected);
  });
