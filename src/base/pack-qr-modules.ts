import type { PackedQr } from './qr-modules.ts';

/** Packs the modules of a QR code, one byte each, row by row: 1 is dark. */
export function packModules({ size, data }: { readonly size: number; readonly data: Uint8Array }): PackedQr {
  const bytes = new Uint8Array(Math.ceil(data.length / 8));
  data.forEach((module, index) => {
    if (module) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (128 >> (index & 7));
  });
  return { size, modules: btoa(String.fromCharCode(...bytes)) };
}
