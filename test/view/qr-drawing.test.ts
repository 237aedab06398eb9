import { assert } from '@open-wc/testing';
import jsQR from 'jsqr';
import { drawQr, quietZone, type QrImage } from '../../src/base/qr-modules.ts';
import { encodeQr } from '../../src/view/qr-encoder.ts';
import { find, findButton, mountState, rootOf, until, setPhone } from './render-widget.ts';

const textOfLength = (length: number): string =>
  Array.from({ length }, (_, index) => String.fromCharCode(33 + ((index * 7 + length) % 90))).join('');

function draw(content: string): QrImage {
  const image = drawQr(encodeQr(content));
  if (!image) throw new Error('not drawn');
  return image;
}

/** The text that a scanner reads from the drawn path. */
function scan(content: string): string | undefined {
  const { size, path } = draw(content);
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
  it('is saved as an image that a scanner reads', async () => {
    const createObjectUrl = URL.createObjectURL.bind(URL);
    const download: { picture?: Blob; name?: string } = {};
    URL.createObjectURL = (blob: Blob) => {
      download.picture = blob;
      return createObjectUrl(blob);
    };
    Object.defineProperty(HTMLAnchorElement.prototype, 'click', {
      configurable: true,
      value(this: HTMLAnchorElement) {
        download.name = this.download;
      },
    });
    setPhone(true);
    const widget = await mountState('qr', 'en');
    await until('the QR', () => rootOf(widget).querySelector('[part=qr]'));
    findButton(widget, /^Save/).click();
    setPhone(false);
    const picture = await until('a picture', () => download.picture);
    Reflect.deleteProperty(HTMLAnchorElement.prototype, 'click');
    URL.createObjectURL = createObjectUrl;
    const bitmap = await createImageBitmap(picture);
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    context?.drawImage(bitmap, 0, 0);
    const pixels = context?.getImageData(0, 0, bitmap.width, bitmap.height).data ?? new Uint8ClampedArray();
    assert.equal(
      jsQR(pixels, bitmap.width, bitmap.height)?.data,
      find(widget, '[part=qr-link]', HTMLAnchorElement).href,
    );
    assert.equal(download.name, '1001.png');
  });

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
