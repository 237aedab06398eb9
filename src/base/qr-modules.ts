/** A QR code as the checkout API has it (docs/checkout-api.md, `qr`). */
export interface PackedQr {
  /** The side in modules. */
  readonly size: number;
  /** Base64 of size × size bits, row by row from the top left, the first in the highest bit of the first byte; 1 is dark. */
  readonly modules: string;
}

/** Packs the modules of a QR code, one byte each, row by row: 1 is dark. */
export function packModules({ size, data }: { readonly size: number; readonly data: Uint8Array }): PackedQr {
  const bytes = new Uint8Array(Math.ceil(data.length / 8));
  data.forEach((module, index) => {
    if (module) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (128 >> (index & 7));
  });
  return { size, modules: btoa(String.fromCharCode(...bytes)) };
}

/** Returns a function for the module at an index, row by row; undefined where the text is not that of a code of this size. */
export function unpackModules({ size, modules }: PackedQr): ((index: number) => boolean) | undefined {
  let bytes = '';
  try {
    bytes = atob(modules);
  } catch {
    return undefined; // not base64
  }
  if (size < 21 || size > 177 || (size - 17) % 4 || bytes.length !== Math.ceil((size * size) / 8)) return undefined;
  return (index) => (bytes.charCodeAt(index >> 3) & (128 >> (index & 7))) > 0;
}
