import jsQR from 'jsqr';

/** Returns the text of the QR in a canvas, or undefined. Like many scanners, it reads only dark on light modules. */
export function scan(canvas: HTMLCanvasElement): string | undefined {
  const { width, height } = canvas;
  const pixels = canvas.getContext('2d')?.getImageData(0, 0, width, height).data ?? new Uint8ClampedArray();
  return jsQR(pixels, width, height, { inversionAttempts: 'dontInvert' })?.data;
}
