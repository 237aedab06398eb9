import { html, type TemplateResult } from 'lit';
import { quietZone, type QrImage } from '../base/qr-modules.ts';

/** In place of the canvas, where the browser gives none. */
export const qrAsSvg = ({ size, path }: QrImage, width: number, name: string): TemplateResult =>
  html`<svg
    part="qr"
    tabindex="-1"
    width=${width}
    role="img"
    aria-label=${name}
    viewBox="${-quietZone} ${-quietZone} ${size + 2 * quietZone} ${size + 2 * quietZone}"
    shape-rendering="crispEdges"
  >
    <path d=${path} />
  </svg>`;
