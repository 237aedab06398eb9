import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createOriginRules } from '../../../src/server/http/router.ts';

const rules = createOriginRules('https://shop.example/checkout', ['https://m.shop.example', 'http://localhost:5173']);
const request = (headers: Record<string, string>, method = 'POST', url = 'https://shop.example/checkout'): Request =>
  new Request(url, { method, headers });

describe('a write', () => {
  for (const [origin, site, isAllowed] of [
    [undefined, undefined, true],
    [undefined, 'none', true],
    [undefined, 'same-origin', true],
    [undefined, 'same-site', false],
    [undefined, 'cross-site', false],
    ['https://shop.example', undefined, true],
    ['https://shop.example', 'none', true],
    ['https://shop.example', 'same-site', true],
    ['https://shop.example', 'cross-site', false],
    ['https://shop.example', 'anything', false],
    ['https://elsewhere.example', undefined, false],
    ['https://elsewhere.example', 'none', false],
    ['https://elsewhere.example', 'same-site', false],
    ['https://elsewhere.example', 'same-origin', true],
    ['https://m.shop.example', 'cross-site', true],
    ['http://localhost:5173', undefined, true],
    ['null', undefined, false],
    ['null', 'none', false],
  ] as const)
    test(`${origin === undefined ? 'without Origin' : `with Origin: ${origin}`} and ${site === undefined ? 'without Sec-Fetch-Site' : `with Sec-Fetch-Site: ${site}`} is ${isAllowed ? 'served' : 'refused'}`, () => {
      const headers = { ...(origin && { origin }), ...(site && { 'sec-fetch-site': site }) };
      assert.equal(rules.isWriteAllowed(request(headers)), isAllowed);
    });

  test('is served from the origin of the request’s URL and from that of the endpoint, when the two differ', () => {
    const url = 'http://127.0.0.1:8080/checkout';
    assert.equal(rules.isWriteAllowed(request({ origin: 'https://shop.example' }, 'POST', url)), true);
    assert.equal(rules.isWriteAllowed(request({ origin: 'http://127.0.0.1:8080' }, 'POST', url)), true);
    assert.equal(rules.isWriteAllowed(request({ origin: 'http://127.0.0.1:8081' }, 'POST', url)), false);
  });
});

describe('a response', () => {
  const corsHeaders = {
    vary: 'Origin',
    'access-control-allow-origin': 'https://m.shop.example',
    'access-control-expose-headers': 'ETag, Retry-After, Preference-Applied',
  };
  const preflight = { 'access-control-request-method': 'POST' };
  const origin = 'https://m.shop.example';

  for (const [title, headers, method, expected] of [
    ['without an origin', {}, 'GET', { vary: 'Origin' }],
    ['to an origin that is not listed', { origin: 'https://shop.example' }, 'GET', { vary: 'Origin' }],
    [
      'to a preflight of an origin that is not listed',
      { origin: 'https://evil.example', ...preflight },
      'OPTIONS',
      { vary: 'Origin' },
    ],
    ['to a listed origin', { origin }, 'GET', corsHeaders],
    ['to an OPTIONS request that is not a preflight', { origin }, 'OPTIONS', corsHeaders],
    ['to a POST request with the header of a preflight', { origin, ...preflight }, 'POST', corsHeaders],
    [
      'to a preflight of a listed origin',
      { origin, ...preflight },
      'OPTIONS',
      {
        ...corsHeaders,
        'access-control-allow-methods': 'GET, HEAD, POST',
        'access-control-allow-headers': 'Content-Type, Idempotency-Key, If-None-Match, Prefer',
        'access-control-max-age': '600',
      },
    ],
  ] as const)
    test(`${title} ${'access-control-allow-origin' in expected ? 'allows that origin' : 'allows no origin'}`, () => {
      assert.deepEqual(rules.corsHeaders({ method, headers: new Headers(headers) }), expected);
    });
});
