import { html, nothing, type TemplateResult } from 'lit';
import type { Translator } from '../../i18n.ts';
import type { QrImage } from '../qr/qr-drawing.ts';
import { button } from './shared-templates.ts';
import type { Handlers } from './screen-props.ts';

/** The width that the styles reserve for a QR, in pixels. */
const reservedWidth = 320;

/** The QR as SVG: whole pixels for each module, unless the widget is too narrow. */
function qrSvg({ size, quietZone, path }: QrImage, name: string): TemplateResult {
  const side = size + 2 * quietZone;
  return html`<svg
    part="qr"
    width=${side * Math.floor(reservedWidth / side)}
    role="img"
    aria-label=${name}
    viewBox="${-quietZone} ${-quietZone} ${side} ${side}"
    shape-rendering="crispEdges"
  >
    <path d=${path} />
  </svg>`;
}

/** A QR under a text; its space is reserved before the image is loaded. */
export function qrTemplate(
  image: QrImage | undefined,
  about: string | undefined,
  on: Handlers,
  { m }: Translator,
): TemplateResult {
  return html`<div class="qr">
    ${about && html`<p class="muted">${about}</p>`}
    <div class="paper">${image ? qrSvg(image, m.qr) : nothing}</div>
    ${button(m.saveQr, on.saveQr, 'quiet', !image)}
  </div>`;
}
