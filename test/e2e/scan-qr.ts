import jsQR from 'jsqr';
import { PNG } from 'pngjs';

/** What a scanner reads from a picture (PNG), or undefined. Dark modules on a light ground only, as many scanners are. */
export function scan(picture: Buffer): string | undefined {
  const { data, width, height } = PNG.sync.read(picture);
  return jsQR(new Uint8ClampedArray(data), width, height, { inversionAttempts: 'dontInvert' })?.data;
}
