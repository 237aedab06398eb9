import { html, nothing, type TemplateResult } from 'lit';
import type { WaitingState } from '../../core.ts';
import type { Translator } from '../../i18n.ts';
import type { QrImage } from '../qr/qr-drawing.ts';
import { timeIsUp } from './outcome-screen.ts';
import { button, icon, lead, note, problem } from './shared-templates.ts';
import { asMessage, requisitesOf, type Requisite } from './requisite-rows.ts';
import type { Copyable, CopyResult, Handlers, PaymentModel } from './screen-props.ts';

function link(href: string, text: string, kind: string, touch: boolean, on: Handlers, part?: string): TemplateResult {
  return html`<a
    part=${part ?? nothing}
    class=${kind}
    href=${href}
    target=${touch ? nothing : '_blank'}
    rel="noopener noreferrer"
    @click=${on.openLink}
    >${text}</a
  >`;
}

/** A click handler of a copy button: it passes the value in the button's row, or the list before the button. */
function copyOnClick(value: Copyable, on: Handlers): (event: Event) => void {
  return ({ currentTarget: target }) => {
    const box = target instanceof Element ? target.closest('div') : null;
    on.copy(value, box?.querySelector('bdi') ?? box?.previousElementSibling);
  };
}

function copyNote(text: string, result: CopyResult | undefined, { m }: Translator): unknown {
  if (result?.text !== text) return nothing;
  return html`<span class=${result.ok ? 'done' : 'failed'}> ${result.ok ? `· ${m.copied}` : m.copyFailed}</span>`;
}

function row(requisite: Requisite, result: CopyResult | undefined, on: Handlers, t: Translator): TemplateResult {
  const { text, label, groups } = requisite;
  const isCopied = result?.text === text && result.ok;
  return html`<div part="requisite">
    <dt part="label">${label}${copyNote(text, result, t)}</dt>
    <dd>
      <bdi part="value">${groups.map((group) => html`<span>${group}</span><wbr />`)}</bdi>
      <button
        part="copy"
        type="button"
        class="quiet"
        aria-label=${t.m.copyWhat(label)}
        title=${t.m.copy}
        @click=${copyOnClick(requisite, on)}
      >
        ${icon(isCopied ? 'done' : 'copy')}
      </button>
    </dd>
  </div>`;
}

function requisiteList(
  list: readonly Requisite[],
  result: CopyResult | undefined,
  on: Handlers,
  t: Translator,
): TemplateResult {
  const all = { field: 'all', text: asMessage(list) };
  return html`<dl part="requisites">${list.map((requisite) => row(requisite, result, on, t))}</dl>
    <div>${button(t.m.copyAll, copyOnClick(all, on), 'quiet')}${copyNote(all.text, result, t)}</div>`;
}

/** What to do where a link to a bank's app did nothing. */
function appHelp(href: string, result: CopyResult | undefined, on: Handlers, t: Translator): TemplateResult {
  const copy = button(t.m.copyLink, copyOnClick({ field: 'link', text: href }, on));
  return note(
    t.m.stuck,
    t.m.stuckText,
    html`<bdi class="muted clamp">${href}</bdi>${copy}${copyNote(href, result, t)}`,
  );
}

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
function qrTemplate(
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

/** The bank's app, the payment page, and the QR of one of them. */
function links(
  { invoice }: WaitingState,
  model: PaymentModel,
  hasRequisites: boolean,
  on: Handlers,
  t: Translator,
): TemplateResult | typeof nothing {
  const { touch, appDidNotOpen, copyResult, qrLink, otherDeviceUrl, qrImage } = model;
  const { nspk_url: app, payment_url: page } = invoice;
  const address = app ?? page;
  if (address === undefined && (touch || otherDeviceUrl === undefined)) return nothing;
  const qr = qrLink === undefined ? nothing : qrTemplate(qrImage, app ? undefined : t.m.phoneText, on, t);
  const actions = html`${app ? link(app, touch ? t.m.openApp : t.m.payByLink, touch ? 'main' : '', touch, on, 'qr-link') : nothing}
  ${page ? link(page, t.m.openPage, app || hasRequisites ? '' : 'main', touch, on) : nothing}
  ${appDidNotOpen && address ? appHelp(address, copyResult, on, t) : nothing}
  ${otherDeviceUrl && qrLink === undefined && !touch ? button(t.m.showQr, on.showQr, 'quiet') : nothing}`;
  return html`${touch ? nothing : qr}
  ${address || qrLink === undefined ? html`<div part="actions">${actions}</div>` : nothing} ${touch ? qr : nothing}`;
}

/** The requisites, the QR and the links of an invoice that waits to be paid. */
export function waitingScreen(state: WaitingState, model: PaymentModel, on: Handlers, t: Translator): TemplateResult {
  const { m } = t;
  const { invoice, checkout, connection } = state;
  if (state.verifyingAmount) return timeIsUp(m.amountCheck, '', on, t);
  if (state.verifyingExpiry) return timeIsUp(m.checking, m.newInvoice, on, t);
  const lists = requisitesOf(invoice, checkout, t);
  const hasRequisites = lists.length > 0;
  const byLink = invoice.nspk_url !== undefined;
  const ways = links(state, model, hasRequisites, on, t);
  const byHand = !byLink && hasRequisites;
  const byScan = byLink && model.qrLink !== undefined && !model.touch;
  const toBank = lists.flat().some(({ field }) => field === 'bank');
  const stale = checkout.stale || connection.failures > 0;
  return html`
    ${state.slow ? note('', m.long) : nothing} ${stale ? problem(m.stale) : nothing}
    <div>
      ${byScan ? lead(m.scan, m.scanText) : byHand ? lead(m.transfer, m.transferText(toBank)) : lead(m.payByLink, '')}
    </div>
    ${byLink ? ways : nothing}
    ${lists.map((list, index) => [
      byLink || index > 0 ? html`<h4>${m.orTransfer}</h4>` : nothing,
      requisiteList(list, model.copyResult, on, t),
    ])}
    ${byLink ? nothing : ways}
    <div class="tail">
      <p class="wait">${m.waiting}</p>
      ${button(m.leave, on.dismissInvoice, 'quiet')}
    </div>
  `;
}
