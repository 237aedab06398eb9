import { html, nothing, type TemplateResult } from 'lit';
import type { Texts } from '../../i18n.ts';
import type { Handlers } from '../handlers.ts';
import { quietZone, type QrPicture } from '../qr/picture.ts';
import { button } from './notice.ts';

/** The room for a QR, in pixels; the styles give as much. */
const room = 320;

/** Whole pixels for each module, unless the place is too narrow for it. */
function drawing({ size, path }: QrPicture, name: string): TemplateResult {
  const side = size + 2 * quietZone;
  return html`<svg
    part="qr"
    width=${side * Math.floor(room / side)}
    role="img"
    aria-label=${name}
    viewBox="${-quietZone} ${-quietZone} ${side} ${side}"
    shape-rendering="crispEdges"
  >
    <path d=${path} />
  </svg>`;
}

/** A QR under a text; its room is there before it is drawn. */
export function qrCode(
  picture: QrPicture | undefined,
  about: string | undefined,
  on: Handlers,
  { m }: Texts,
): TemplateResult {
  return html`<div class="qr">
    ${about && html`<p class="muted">${about}</p>`}
    <div class="paper">${picture ? drawing(picture, m.qr) : nothing}</div>
    ${button(m.saveQr, on.saveQr, 'quiet', !picture)}
  </div>`;
}
