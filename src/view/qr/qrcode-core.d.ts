// The encoder of the `qrcode` package without its renderers; the package's own types describe only the whole.
declare module 'qrcode/lib/core/qrcode.js' {
  export interface EncodedQr {
    readonly modules: { readonly size: number; readonly data: Uint8Array };
  }
  /** Throws when the text is too long for a QR code. */
  export function create(text: string, options: { readonly errorCorrectionLevel: 'M' | 'Q' }): EncodedQr;
}

// The encoder's choice of the mask, which `qr-drawing.ts` replaces.
declare module 'qrcode/lib/core/mask-pattern.js' {
  interface Modules {
    readonly size: number;
    readonly data: Uint8Array;
    readonly reservedBit: Uint8Array;
  }
  const maskPattern: { getBestMask: (modules: Modules, setFormat: (mask: number) => void) => number };
  export default maskPattern;
}
