import { assert } from '@open-wc/testing';
import { create } from 'qrcode';
import { codewordsOf, medium, quartile, versionFor } from '../../src/view/qr/codewords.ts';
import { matrixOf } from '../../src/view/qr/matrix.ts';
import { drawQr } from '../../src/view/qr/qr-code.ts';

const text = (length: number): string =>
  Array.from({ length }, (_, index) => String.fromCharCode(33 + ((index * 7 + length) % 90))).join('');

const levels = [
  ['M', medium, [1, 14, 15, 60, 100, 122, 123, 152, 180, 213, 251, 400, 800, 1500, 2331]],
  ['Q', quartile, [1, 11, 12, 20, 32, 46, 60]],
] as const;

describe('the QR code', () => {
  for (const [name, level, lengths] of levels)
    for (const length of lengths)
      it(`is what a full encoder draws: ${length} bytes at level ${name}`, () => {
        const bytes = new TextEncoder().encode(text(length));
        const version = versionFor(length, level) ?? 0;
        const own = matrixOf(codewordsOf(bytes, version, level), version, level);
        const masks = [0, 1, 2, 3, 4, 5, 6, 7] as const;
        const isSame = masks.some((maskPattern) => {
          const options = { errorCorrectionLevel: name, maskPattern };
          const { modules } = create([{ data: bytes, mode: 'byte' }], options);
          return (
            modules.size === own.length &&
            own.every((row, y) => row.every((dark, x) => dark === (modules.get(y, x) === 1)))
          );
        });
        assert.equal(isSame, true);
      });

  it('bears a quarter of damage while it is small, and stays as small as it can when it is long', () => {
    assert.equal(drawQr(text(60)).size, 37);
    assert.equal(drawQr(text(61)).size, 33);
    assert.equal(drawQr(text(95)).size, 41);
  });

  it('draws only runs of dark modules inside its square', () => {
    const { size, path } = drawQr('https://qr.example/');
    assert.match(path, /^(?:M\d+ \d+h\d+v1h-\d+z)+$/);
    for (const [, x, y, run] of path.matchAll(/M(\d+) (\d+)h(\d+)/g)) {
      assert.isAtMost(Number(x) + Number(run), size);
      assert.isBelow(Number(y), size);
    }
  });
});
