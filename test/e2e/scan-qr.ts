import jsQR from 'jsqr';
import { PNG } from 'pngjs';

/** Returns the text of the QR in a picture (PNG), or undefined. Like many scanners, it reads only dark on light modules. */
export function scan(picture: Buffer): string | undefined {
  const { data, width, height } = PNG.sync.read(picture);
  return jsQR(new Uint8ClampedArray(data), width, height, { inversionAttempts: 'dontInvert' })?.data;
}
