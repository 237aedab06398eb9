// Parts of the `qrcode` package whose own types describe only the whole: the encoder without its renderers, and its tables.
declare module 'qrcode/lib/core/qrcode.js' {
  export interface EncodedQr {
    /** `reservedBit` is 1 where a module carries no data: finders, alignment, format and version. */
    readonly modules: { readonly size: number; readonly data: Uint8Array; readonly reservedBit: Uint8Array };
  }
  /** Throws when the text is too long for a QR code. */
  export function create(
    text: string,
    options: {
      readonly errorCorrectionLevel: 'L' | 'M' | 'Q' | 'H';
      readonly version?: number;
      readonly maskPattern?: number;
    },
  ): EncodedQr;
}

declare module 'qrcode/lib/core/error-correction-level.js' {
  export interface Level {
    readonly bit: number;
  }
  export const L: Level;
  export const M: Level;
  export const Q: Level;
  export const H: Level;
}

declare module 'qrcode/lib/core/error-correction-code.js' {
  interface Level {
    readonly bit: number;
  }

  /** The number of blocks into which the codewords are split. */
  export function getBlocksCount(version: number, level: Level): number;
  /** The number of codewords for error correction, of all blocks together. */
  export function getTotalCodewordsCount(version: number, level: Level): number;
}
