import { html, nothing, type TemplateResult } from 'lit';
import type { WaitingState } from '../../core.ts';
import type { Translator } from '../../i18n.ts';
import type { QrImage } from '../qr/qr-drawing.ts';
import { checkButton, checkNote, timeIsUpScreen } from './outcome-screen.ts';
import { copyableRow, copyNote, copyOnClick } from './labelled-value.ts';
import { button, headingWithText, note, errorNote, title } from './shared-templates.ts';
import { asMessage, requisitesOf, transferRule, type RequisiteList } from './requisite-rows.ts';
import type { AppLaunchHelp, CopyResult, Handlers, PaymentScreenProps } from './screen-props.ts';

function linkTemplate(
  href: string,
  text: string,
  kind: string,
  touch: boolean,
  on: Handlers,
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

/** A list of requisites, with a button that copies all values and the instruction how to send the money. */
function requisiteList(
  list: RequisiteList,
  { checkout, invoice }: WaitingState,
  { copyResult, timeZone }: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): TemplateResult {
  const allValues = {
    field: 'all',
    // A getter, because writing the date constructs a formatter of `Intl`, which is slow. It runs only when the payer copies.
    get text() {
      return asMessage(transferRule(invoice, checkout, t, { withDate: true, timeZone }), list);
    },
  };
  return html`<dl part="requisites">${list.rows.map((row) => copyableRow(row, copyResult, on, t, 'requisite'))}</dl>
    <div>${button(t.m.copyAll, copyOnClick(allValues, on), 'quiet')}${copyNote(allValues, copyResult, t)}</div>`;
}

/** Closes the other kinds of requisites, as `name` of `<details>` does in browsers that support it. */
function closeOthers({ currentTarget: openedList }: Event): void {
  if (!(openedList instanceof HTMLDetailsElement) || !openedList.open) return;
  for (const list of openedList.parentElement?.querySelectorAll<HTMLDetailsElement>('.kind') ?? [])
    if (list !== openedList) list.open = false;
}

/** The instruction how to send the money, and the lists of requisites. Of several lists, only one is open at a time. */
function requisiteLists(
  lists: readonly RequisiteList[],
  state: WaitingState,
  props: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): TemplateResult {
  const templates = lists.map((list) => requisiteList(list, state, props, on, t));
  return html`<p class="rule">${transferRule(state.invoice, state.checkout, t, props)}</p>
    ${
      templates.length === 1
        ? templates
        : templates.map(
            (template, index) =>
              html`<details class="kind" name="kind" ?open=${index === 0} @toggle=${closeOthers}>
                <summary>${t.m[lists[index]?.kind ?? 'byAccount']}</summary>
                ${template}
              </details>`,
          )
    }`;
}

/** Help for a payer whose browser did not open a bank's app. */
function appHelp(
  link: string,
  { phoneUrl, browserUrl }: AppLaunchHelp,
  result: CopyResult | undefined,
  on: Handlers,
  t: Translator,
): TemplateResult {
  const { m } = t;
  const copyButton = (text: string, address: string): TemplateResult => {
    const value = { field: 'link', text: address };
    return html`${button(text, copyOnClick(value, on))}${copyNote(value, result, t)}`;
  };
  return note(
    m.stuck,
    m.stuckText,
    html`<bdi class="muted clamp">${link}</bdi>${copyButton(m.copyLink, link)}
      ${phoneUrl && copyButton(m.copyPage, phoneUrl)} ${browserUrl && html`<a href=${browserUrl}>${m.openBrowser}</a>`}`,
  );
}

/** The width that the styles reserve for a QR, in pixels. */
const reservedWidth = 320;

/** The QR as SVG, or as the PNG `picture`. Each module is whole pixels wide, unless the widget is too narrow. */
function qrImageOf({ size, quietZone, path }: QrImage, picture: string | undefined, name: string): TemplateResult {
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
  { qrImage: image, qrPicture: picture }: PaymentScreenProps,
  caption: string | undefined,
  on: Handlers,
  { m }: Translator,
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
  props: PaymentScreenProps,
  hasRequisites: boolean,
  on: Handlers,
  t: Translator,
): TemplateResult | typeof nothing {
  const { touch, appLaunchHelp, copyResult, qrLink, otherDeviceUrl } = props;
  const { nspk_url: appUrl, payment_url: pageUrl } = invoice;
  const address = appUrl ?? pageUrl;
  if (address === undefined && (touch || otherDeviceUrl === undefined)) return nothing;
  const qr = qrLink === undefined ? nothing : qrTemplate(props, appUrl ? undefined : t.m.phoneText, on, t);
  const actions = html`${appUrl ? linkTemplate(appUrl, touch ? t.m.openApp : t.m.openSbp, touch ? 'main' : '', touch, on, 'qr-link') : nothing}
  ${pageUrl ? linkTemplate(pageUrl, t.m.openPage(new URL(pageUrl).host), appUrl || hasRequisites ? '' : 'main', touch, on) : nothing}
  ${appUrl && appLaunchHelp && appHelp(appUrl, appLaunchHelp, copyResult, on, t)}
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

/** The requisites, the QR and the links of an invoice that waits to be paid. */
export function waitingScreen(
  state: WaitingState,
  props: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): TemplateResult {
  const { m } = t;
  const { invoice, checkout, connection } = state;
  if (state.verifyingAmount) return timeIsUpScreen(m.amountCheck, '', state, props, on, t);
  if (state.verifyingExpiry) return timeIsUpScreen(m.checking, m.newInvoice, state, props, on, t);
  const lists = requisitesOf(invoice, checkout, t);
  const hasRequisites = lists.length > 0;
  const hasQrLink = invoice.nspk_url !== undefined;
  const links = paymentLinks(state, props, hasRequisites, on, t);
  const isStale = checkout.stale || connection.failures > 0;
  return html`
    ${state.slow ? note('', m.long, html`${isStale ? nothing : checkNote(props)} ${checkButton(props, on, t)}`) : nothing}
    ${isStale ? errorNote(m.stale) : nothing}
    <div>
      ${
        hasQrLink && props.touch
          ? title(m.payInApp)
          : hasQrLink && props.qrLink !== undefined
            ? headingWithText(m.scan, m.scanText)
            : title(hasQrLink || !hasRequisites ? m.payByLink : m.transfer)
      }
    </div>
    ${hasQrLink ? links : nothing} ${hasQrLink && hasRequisites ? html`<h4>${m.orTransfer}</h4>` : nothing}
    ${hasRequisites ? requisiteLists(lists, state, props, on, t) : nothing} ${hasQrLink ? nothing : links}
    <div class="tail">${button(m.leave, on.dismissInvoice, 'quiet')}</div>
  `;
}
