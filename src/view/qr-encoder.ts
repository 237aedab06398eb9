// A lazily loaded file: the encoder of the `qrcode` package, without its renderers.
import { create } from 'qrcode/lib/core/qrcode.js';
import { packModules } from '../base/pack-qr-modules.ts';
import type { PackedQr } from '../base/qr-modules.ts';

/** The QR code of a text, as the checkout API has it. Throws when the text is too long. */
export const encodeQr = (text: string): PackedQr => packModules(create(text, { errorCorrectionLevel: 'M' }).modules);
