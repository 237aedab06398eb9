import { assert } from '@open-wc/testing';
import jsQR from 'jsqr';
import { drawQr, quietZone } from '../../src/base/qr-modules.ts';
import { encodeQr } from '../../src/base/qr-encoder.ts';

const textOfLength = (length: number): string =>
  Array.from({ length }, (_, index) => String.fromCharCode(33 + ((index * 7 + length) % 90))).join('');

/** The text that a scanner reads from the drawn path. */
function scan(content: string): string | undefined {
  const image = drawQr(encodeQr(content));
  if (!image) throw new Error('not drawn');
  const { size, path } = image;
  const scale = 4;
  const side = (size + 2 * quietZone) * scale;
  const canvas = new OffscreenCanvas(side, side);
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('no canvas');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, side, side);
  context.setTransform(scale, 0, 0, scale, quietZone * scale, quietZone * scale);
  context.fillStyle = '#000';
  context.fill(new Path2D(path));
  return jsQR(context.getImageData(0, 0, side, side).data, side, side)?.data;
}

describe('the QR code', () => {
  for (const length of [1, 14, 60, 61, 122, 180, 251, 400])
    it(`is read by a scanner: a text of ${length} bytes`, () =>
      assert.equal(scan(textOfLength(length)), textOfLength(length)));

  it('is read by a scanner: a link of the form that SBP links have', () => {
    const link =
      'https://qr.nspk.ru/AS10003P3RH0LJ2A9ROO038L6NT5RU1M?type=02&bank=100000000001&sum=150000&cur=RUB&crc=AB12';
    assert.equal(scan(link), link);
  });

  it('throws for a text that is too long for any QR code', () => assert.throws(() => encodeQr(textOfLength(3000))));
});
