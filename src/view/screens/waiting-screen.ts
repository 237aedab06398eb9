import { html, nothing, type TemplateResult } from 'lit';
import type { WaitingState } from '../../core.ts';
import type { FirstFileTranslator } from '../../i18n.ts';
import { quietZone, type QrImage } from '../qr/draw-qr.ts';
import { button, headingWithText, title } from './shared-templates.ts';
import type { FirstFileHandlers, QrProps } from './screen-props.ts';

/** What the second file adds to the screen. Nothing that is shown already moves. */
export interface WaitingAdditions {
  /** Notes above everything. */
  readonly notes: unknown;
  /** Help for a payer whose browser did not open a bank's app, below the links. */
  readonly help: unknown;
  /** The requisites; undefined where the invoice has none. */
  readonly requisites: unknown;
  /** The way to another method, at the end. */
  readonly tail: unknown;
}

function linkTemplate(
  href: string,
  text: string,
  kind: string,
  touch: boolean,
  on: FirstFileHandlers,
  part?: 'qr-link',
): TemplateResult {
  return html`<a
    part=${part ?? nothing}
    class=${kind}
    href=${href}
    target=${touch ? nothing : '_blank'}
    rel="noopener noreferrer"
    @click=${() => on.openLink(part !== undefined)}
    >${text}</a
  >`;
}

/** The width that the styles reserve for a QR, in pixels. */
const reservedWidth = 320;

/** The QR as SVG, or as the PNG `picture`. Each module is whole pixels wide, unless the widget is too narrow. */
function qrImageOf({ size, path }: QrImage, picture: string | undefined, name: string): TemplateResult {
  const side = size + 2 * quietZone;
  const width = side * Math.floor(reservedWidth / side);
  if (picture) return html`<img part="qr" width=${width} src=${picture} alt=${name} />`;
  return html`<svg
    part="qr"
    width=${width}
    role="img"
    aria-label=${name}
    viewBox="${-quietZone} ${-quietZone} ${side} ${side}"
    shape-rendering="crispEdges"
  >
    <path d=${path} />
  </svg>`;
}

/** A QR below a text. Its space is reserved until the image is drawn. */
function qrTemplate(
  { qrImage: image, qrPicture: picture }: QrProps,
  caption: string | undefined,
  on: FirstFileHandlers,
  { m }: FirstFileTranslator,
): TemplateResult {
  return html`<div class="qr">
    ${caption && html`<p class="muted">${caption}</p>`}
    <div class="paper">${image ? qrImageOf(image, picture, m.qr) : nothing}</div>
    ${button(m.saveQr, on.saveQr, 'quiet', !image)}
    ${picture === undefined ? nothing : html`<p>${m.saveHint(!!picture)}</p>`}
  </div>`;
}

/** The links to the bank's app and to the payment page, and the QR of one of these links. */
function paymentLinks(
  { invoice }: WaitingState,
  props: QrProps,
  hasRequisites: boolean,
  help: unknown,
  on: FirstFileHandlers,
  t: FirstFileTranslator,
): TemplateResult | typeof nothing {
  const { touch, qrLink, otherDeviceUrl } = props;
  const { nspk_url: appUrl, payment_url: pageUrl } = invoice;
  const address = appUrl ?? pageUrl;
  if (address === undefined && (touch || otherDeviceUrl === undefined)) return nothing;
  const qr = qrLink === undefined ? nothing : qrTemplate(props, appUrl ? undefined : t.m.phoneText, on, t);
  const actions = html`${appUrl ? linkTemplate(appUrl, touch ? t.m.openApp : t.m.openSbp, touch ? 'main' : '', touch, on, 'qr-link') : nothing}
  ${pageUrl ? linkTemplate(pageUrl, t.m.openPage(new URL(pageUrl).host), appUrl || hasRequisites ? '' : 'main', touch, on) : nothing}
  ${appUrl && help}
  ${otherDeviceUrl && qrLink === undefined && !touch ? button(t.m.showQr, on.showQr, 'quiet') : nothing}`;
  // A phone cannot scan its own screen: there the QR is for another device, and is folded.
  const folded = html`<details @toggle=${on.unfoldQr}>
    <summary>${t.m.otherDevice}</summary>
    ${qr}
  </details>`;
  return html`${touch ? nothing : qr}
  ${address || qrLink === undefined ? html`<div part="actions">${actions}</div>` : nothing}
  ${touch && qrLink !== undefined ? folded : nothing}`;
}

/**
 * The QR and the links of an invoice that waits to be paid, with what the second file adds. Until that file has come, `pending`
 * stands in the place of the requisites.
 */
export function waitingScreen(
  state: WaitingState,
  props: QrProps,
  pending: TemplateResult,
  more: WaitingAdditions | undefined,
  on: FirstFileHandlers,
  t: FirstFileTranslator,
): TemplateResult {
  const { m } = t;
  const { nspk_url: qrLink, payment_url: pageUrl, sbp, card, bank_transfer: transfer } = state.invoice;
  const hasRequisites = more ? more.requisites !== undefined : !!(sbp ?? card ?? transfer);
  const links = paymentLinks(state, props, hasRequisites, more?.help ?? nothing, on, t);
  const requisites = more ? (more.requisites ?? nothing) : hasRequisites || !(qrLink ?? pageUrl) ? pending : nothing;
  // Links below the requisites would move when the requisites come.
  const linksBelow = more || !hasRequisites ? links : nothing;
  return html`
    ${more?.notes ?? nothing}
    <div>
      ${
        qrLink && props.touch
          ? title(m.payInApp)
          : qrLink && props.qrLink !== undefined
            ? headingWithText(m.scan, m.scanText)
            : title(qrLink || !hasRequisites ? m.payByLink : m.transfer)
      }
    </div>
    ${qrLink ? links : nothing} ${requisites} ${qrLink ? nothing : linksBelow} ${more?.tail ?? nothing}
  `;
}
