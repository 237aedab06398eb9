import { create } from 'qrcode';
import type { QrCode } from '../../checkout-api.ts';
import { packModules } from '../../base/qr-modules.ts';

/** How many codes are kept. One takes about 350 bytes, and drawing one takes a millisecond. */
const maxCodes = 5000;

/** The codes by their links, the oldest first. A link that no code can hold has none. */
const codes = new Map<string, QrCode | undefined>();

/** The QR code of an invoice's link, drawn once; undefined where the link is too long for a QR code. */
export function qrCodeOf(link: string): QrCode | undefined {
  const known = codes.get(link);
  if (known || codes.has(link)) return known;
  const code = drawCode(link);
  codes.set(link, code);
  for (const oldest of codes.keys()) {
    if (codes.size <= maxCodes) break;
    codes.delete(oldest);
  }
  return code;
}

function drawCode(link: string): QrCode | undefined {
  try {
    return packModules(create(link, { errorCorrectionLevel: 'M' }).modules);
  } catch {
    return undefined; // The link has more bytes than the largest code holds: the payer gets the link alone.
  }
}
