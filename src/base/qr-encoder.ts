// The encoder of the package `qrcode` without its renderers and its command: this part needs nothing, and is bundled. In the
// browser it is a lazily loaded file.
import { create, type EncodedQr } from 'qrcode/lib/core/qrcode.js';
import type { PackedQr } from './qr-modules.ts';

/** The QR code of a text, as the checkout API has it. Throws when the text is too long. */
export const encodeQr = (text: string): PackedQr => packModules(create(text, { errorCorrectionLevel: 'M' }).modules);

/** Packs the modules of a QR code, one byte each, row by row: 1 is dark. */
export function packModules({ size, data }: Omit<EncodedQr['modules'], 'reservedBit'>): PackedQr {
  const bytes = new Uint8Array(Math.ceil(data.length / 8));
  data.forEach((module, index) => {
    if (module) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (128 >> (index & 7));
  });
  return { size, modules: btoa(String.fromCharCode(...bytes)) };
}
