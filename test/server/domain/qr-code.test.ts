import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeQrCode } from '../../../src/tools/conformance/decode-qr-code.ts';
import { qrCodeOf } from '../../../src/server/domain/present-to-payer.ts';

const link =
  'https://qr.nspk.ru/AS10003P3RH0LJ2A9ROO038L6NT5RU1M?type=02&bank=100000000001&sum=150000&cur=RUB&crc=AB12';

describe('qrCodeOf', () => {
  it('returns a code that contains the link, without a quiet zone', () => {
    const code = qrCodeOf(link);
    assert.ok(code);
    assert.equal(decodeQrCode(code), link);
    // The finder in the upper left corner: seven dark modules.
    assert.equal(atob(code.modules).charCodeAt(0) >> 1, 0b1111111);
  });

  it('draws a link once', () => assert.equal(qrCodeOf(link), qrCodeOf(link)));

  it('returns undefined for a link that no code can hold', () =>
    assert.equal(qrCodeOf(`https://qr.nspk.ru/${'x'.repeat(3000)}`), undefined));
});
