import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loopbackHost } from '../../src/base/loopback-host.ts';
import { isSafeLink, sumsOf } from '../../src/checkout-api/safe-link.ts';

describe('isSafeLink', () => {
  const merchantUrl = 'http://192.168.1.5:8080/pay';
  for (const [link, isSafe] of [
    ['https://pay.example/i/1', true],
    ['https://qr.nspk.ru/AS10003P3RH0LJ2A9ROO038L6NT5RU1M?type=01&bank=1&sum=10000&cur=RUB&crc=F3D0', true],
    ['http://localhost:8081/pay', true],
    ['http://shop.localhost/', true],
    ['http://127.0.0.1:8081/pay', true],
    ['http://[::1]:8081/', true],
    ['http://192.168.1.5:8081/', true],
    ['http://192.168.1.6/', false],
    ['http://pay.example/', false],
    ['http://localhost.evil.example/', false],
    ['http://2130706433/', true],
    ['https://user@pay.example/', false],
    ['https://:secret@pay.example/', false],
    ['javascript:alert(1)', false],
    ['java\tscript:alert(1)', false],
    [' https://pay.example', false],
    ['https://pay.example/\u0000', false],
    ['https:\\\\pay.example', false],
    ['https://pay.example\\@evil.example', false],
    ['data:text/html,x', false],
    ['file:///etc/passwd', false],
    ['intent://pay#Intent;scheme=https;end', false],
    ['bank100000000004://qr.nspk.ru/x', false],
    ['//pay.example/', false],
    ['/pay', false],
    ['https://', false],
    [`https://pay.example/${'x'.repeat(5000)}`, false],
  ] as const)
    it(`${isSafe ? 'accepts' : 'refuses'} ${JSON.stringify(link.slice(0, 80))}`, () =>
      assert.equal(isSafeLink(link, merchantUrl), isSafe));

  it('refuses http to the merchant’s host when the merchant’s URL is not given', () =>
    assert.equal(isSafeLink('http://192.168.1.5/'), false));

  it('resolves a relative link against the base, and accepts it if the result is safe', () => {
    assert.equal(isSafeLink('/thanks', merchantUrl, merchantUrl), true);
    assert.equal(isSafeLink('//pay.example/', merchantUrl, merchantUrl), false);
    assert.equal(isSafeLink('javascript:alert(1)', merchantUrl, merchantUrl), false);
  });
});

describe('sumsOf', () => {
  for (const [query, sums] of [
    ['sum=150000&sum=2', ['1500.00', '0.02']],
    ['sum=0150000', ['01500.00']],
    ['sum=5', ['0.05']],
    ['sum=', [undefined]],
    ['sum=15e4', [undefined]],
    [`sum=${'1'.repeat(31)}`, [undefined]],
    ['', []],
  ] as const)
    it(`returns ${JSON.stringify(sums.map(String))} for ${query.slice(0, 40) || 'a link without sum'}`, () =>
      assert.deepEqual(sumsOf(`https://qr.nspk.ru/A?${query}`), sums));
});

describe('loopbackHost', () => {
  for (const [url, expected] of [
    ['http://shop.localhost/', true],
    ['http://127.1/', true],
    ['http://[::1]:80/', true],
    ['http://notlocalhost/', false],
    ['http://127.0.0.1.example/', false],
    ['http://[::2]/', false],
  ] as const)
    it(`${expected ? 'matches' : 'does not match'} the host of ${url}`, () =>
      assert.equal(loopbackHost.test(new URL(url).hostname), expected));
});
