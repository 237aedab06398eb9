import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { create } from 'qrcode/lib/core/qrcode.js';
import { packModules } from '../../src/base/qr-encoder.ts';
import { decodeQrCode } from '../../src/tools/conformance/decode-qr-code.ts';
import { holds } from '../support/property-tests.ts';

const levels = ['L', 'M', 'Q', 'H'] as const;

describe('decodeQrCode', () => {
  it('returns the text of a code of any length, level and mask, also with digits, capitals and other scripts', () => {
    const text = fc.oneof(
      fc.string({ minLength: 1, maxLength: 300 }),
      fc.stringMatching(/^[0-9]{1,400}$/),
      fc.stringMatching(/^[0-9A-Z $%*+./:-]{1,300}$/),
      fc.stringMatching(/^https:\/\/qr\.nspk\.ru\/A[0-9A-Z]{31}\?type=0[12]&sum=\d{1,9}&cur=RUB$/),
      fc.constantFrom('Оплата', '支付'),
    );
    holds(
      fc.property(text, fc.constantFrom(...levels), fc.nat(7), (content, errorCorrectionLevel, maskPattern) => {
        const { modules } = create(content, { errorCorrectionLevel, maskPattern });
        assert.equal(decodeQrCode(packModules(modules)), content);
      }),
      300,
    );
  });

  it('returns undefined for modules that are not those of a code of this size', () => {
    const code = packModules(create('x', { errorCorrectionLevel: 'M' }).modules);
    assert.equal(decodeQrCode({ ...code, size: 25 }), undefined);
    assert.equal(decodeQrCode({ ...code, size: 22 }), undefined);
    assert.equal(decodeQrCode({ ...code, modules: '*' }), undefined);
  });
});
