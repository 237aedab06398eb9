/** A QR as modules: the side without its quiet zone, and the dark ones as an SVG path. */
export interface QrPicture {
  readonly size: number;
  readonly path: string;
}

/** The light margin around a QR, in modules. */
export const quietZone = 4;
