import { html, nothing, type TemplateResult } from 'lit';
import type { WaitingState } from '../../core.ts';
import type { FirstFileTranslator } from '../../i18n.ts';
import { quietZone, type QrImage } from '../../base/qr-modules.ts';
import { title } from './shared-templates.ts';
import type { FirstFileHandlers, QrProps } from './screen-props.ts';

/** What the second file adds to the screen. Nothing that is shown already moves. */
export interface WaitingAdditions {
  /** The text of the link to a bank's app; undefined until it is clicked. */
  readonly appText: string | undefined;
  /** Whether that link is the screen's main button. */
  readonly appKind: 'main' | '';
  /** Below the links: help for a payer whose bank's app did not open, and the QR code for another device. */
  readonly besideLinks: unknown;
  /** The requisites with their heading; undefined where the invoice has none. */
  readonly requisites: unknown;
  /** The bar of the time left. */
  readonly timeBar: unknown;
  /** Always in view, beside or below the screen: the status, the check of the payment, and the way to another method. */
  readonly follow: unknown;
}

function linkTemplate(
  href: string,
  text: string,
  kind: string,
  { touch }: QrProps,
  on: FirstFileHandlers,
  { m }: FirstFileTranslator,
  part?: 'qr-link',
): TemplateResult {
  return html`<a
    part=${part ?? nothing}
    class=${kind}
    href=${href}
    target=${touch ? nothing : '_blank'}
    rel="noopener noreferrer"
    @click=${() => on.openLink(part !== undefined)}
    >${text}${touch ? nothing : html`<span class="sr">, ${m('link.new-tab')}</span>`}</a
  >`;
}

/** The widths that a QR fits into on a phone and elsewhere, in pixels. The styles reserve the larger. */
const [phoneWidth, desktopWidth] = [320, 343];

/** The width of a QR. Each module is whole pixels wide, unless the widget is too narrow. */
export function qrWidth(side: number, touch: boolean): number {
  return side * Math.floor((touch ? phoneWidth : desktopWidth) / side);
}

/**
 * A canvas, which `QrController` paints: browsers and extensions that darken pages change the colours of an SVG, and no scanner
 * reads it then.
 */
function qrImageOf(image: QrImage, { touch, qrElement }: QrProps, name: string): TemplateResult {
  const width = qrWidth(image.size + 2 * quietZone, touch);
  return (
    qrElement?.(image, width, name) ??
    html`<canvas part="qr" tabindex="-1" role="img" aria-label=${name} width=${width} height=${width}></canvas>`
  );
}

/** The QR. Its space is reserved until the image is drawn. */
export const qrTemplate = (props: QrProps, { m }: FirstFileTranslator): TemplateResult =>
  html`<div class="paper">
    ${props.qrImage ? qrImageOf(props.qrImage, props, m('qr.name')) : m('loading.announcement')}
  </div>`;

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
  const { nspk_url: appUrl, payment_url: pageUrl, sbp, card, bank_transfer: transfer } = state.invoice;
  const besideQr = props.qrImage ? '' : 'pending';
  const hasRequisites = more ? more.requisites !== undefined : !!(sbp ?? card ?? transfer);
  const hasQr = appUrl !== undefined && props.qrLink !== undefined && !props.touch;
  const isBelow = !appUrl && (hasRequisites || !pageUrl);
  if (isBelow && !more) return pending;
  const link = (href: string, text: string, kind: string, part?: 'qr-link'): TemplateResult =>
    linkTemplate(href, text, hasQr ? 'link' : kind, props, on, t, part);
  const appText = more?.appText ?? m(props.touch ? 'link.open-app' : 'link.open-sbp');
  const appLink = appUrl && link(appUrl, appText, more?.appKind ?? 'main', 'qr-link');
  const pageLink = pageUrl && link(pageUrl, m('link.open-page'), appUrl || hasRequisites ? 'link' : 'main');
  const links = hasQr
    ? html`<div class="qr">
        ${qrTemplate(props, t)}
        <p class="muted"><span class=${besideQr}>${m('qr.not-scanning')}</span> ${appLink}</p>
      </div>`
    : (appLink ?? pageLink) && html`<div part="actions">${appLink} ${pageLink}</div>`;
  const heading = hasQr
    ? html`<div>
        ${title(m('waiting.sbp'))}
        <p class="muted ${besideQr}">${m('qr.scan')}</p>
      </div>`
    : title(m(appUrl ? 'waiting.sbp' : 'waiting.page'));
  return html`
    ${isBelow ? nothing : html`${heading} ${links} ${more?.besideLinks}`}
    ${more ? more.requisites : hasRequisites ? pending : nothing}
    ${isBelow ? html`<div class="links">${pageLink}${more?.besideLinks}</div>` : nothing}
  `;
}
