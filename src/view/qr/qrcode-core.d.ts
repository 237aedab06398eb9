// The encoder of the `qrcode` package without its renderers; the package's own types describe only the whole.
declare module 'qrcode/lib/core/qrcode.js' {
  export interface EncodedQr {
    readonly modules: { readonly size: number; readonly data: Uint8Array };
  }
  /** Throws when the text is too long for a QR code. */
  export function create(text: string, options: { readonly errorCorrectionLevel: 'M' | 'Q' }): EncodedQr;
}
