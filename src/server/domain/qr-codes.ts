import type { Checkout, QrCode } from '../../checkout-api.ts';
import { encodeQr } from '../../base/qr-encoder.ts';

/** The checkout with the QR code of its invoice's link: it is drawn only where it is sent, because most reads find nothing new. */
export function withQrCode(checkout: Checkout): Checkout {
  const { invoice } = checkout;
  if (invoice?.nspk_url === undefined) return checkout;
  return { ...checkout, invoice: { ...invoice, qr: qrCodeOf(invoice.nspk_url) } };
}

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
    return encodeQr(link);
  } catch {
    return undefined; // The link has more bytes than the largest code holds: the payer gets the link alone.
  }
}
