import { html, nothing, type TemplateResult } from 'lit';
import type { WaitingState } from '../../core.ts';
import type { Texts } from '../../i18n.ts';
import type { Copied, Handlers } from '../handlers.ts';
import { icon } from '../icon.ts';
import type { QrPicture } from '../qr/picture.ts';
import { asMessage, requisitesOf, type Requisite } from '../requisites.ts';
import { button, lead, note, problem, statement } from './notice.ts';
import { qrCode } from './scanning.ts';

/** What the requisites' screen shows besides the state. */
export interface PayingModel {
  /** The address in the QR, where one is shown; its picture comes later. */
  readonly qrLink: string | undefined;
  /** The address that goes on on another device. */
  readonly otherDevice: string | undefined;
  readonly picture: QrPicture | undefined;
  /** The device can open a bank's app: the link comes first and the QR second. */
  readonly handheld: boolean;
  /** A link was clicked and nothing happened. */
  readonly stuck: boolean;
  readonly copied: Copied | undefined;
}

export interface WaitingModel extends PayingModel {
  readonly state: WaitingState;
}

function link(
  href: string,
  text: string,
  kind: string,
  handheld: boolean,
  on: Handlers,
  part?: string,
): TemplateResult {
  return html`<a
    part=${part ?? nothing}
    class=${kind}
    href=${href}
    target=${handheld ? nothing : '_blank'}
    rel="noopener noreferrer"
    @click=${on.follow}
    >${text}</a
  >`;
}

function copyNote(text: string, copied: Copied | undefined, { m }: Texts): unknown {
  if (copied?.text !== text) return nothing;
  return html`<span class=${copied.ok ? 'done' : 'failed'}> ${copied.ok ? `· ${m.copied}` : m.copyFailed}</span>`;
}

function row(requisite: Requisite, copied: Copied | undefined, on: Handlers, t: Texts): TemplateResult {
  const { text, label, groups } = requisite;
  const isDone = copied?.text === text && copied.ok;
  return html`<div part="requisite">
    <dt part="label">${label}${copyNote(text, copied, t)}</dt>
    <dd>
      <bdi part="value">${groups.map((group) => html`<span>${group}</span><wbr />`)}</bdi>
      <button
        part="copy"
        type="button"
        class="quiet"
        aria-label=${t.m.copyWhat(label)}
        title=${t.m.copy}
        @click=${(event: Event) => on.copy(requisite, event)}
      >
        ${icon(isDone ? 'done' : 'copy')}
      </button>
    </dd>
  </div>`;
}

function requisiteList(list: readonly Requisite[], copied: Copied | undefined, on: Handlers, t: Texts): TemplateResult {
  const all = { field: 'all', text: asMessage(list) };
  return html`<dl part="requisites">${list.map((requisite) => row(requisite, copied, on, t))}</dl>
    <div>${button(t.m.copyAll, (event) => on.copy(all, event), 'quiet')}${copyNote(all.text, copied, t)}</div>`;
}

function rescue(href: string, copied: Copied | undefined, on: Handlers, t: Texts): TemplateResult {
  const copy = button(t.m.copyLink, (event) => on.copy({ field: 'link', text: href }, event));
  return note(
    t.m.stuck,
    t.m.stuckText,
    html`<bdi class="muted clamp">${href}</bdi>${copy}${copyNote(href, copied, t)}`,
  );
}

/** The ways to pay that are links: the bank's app, the payment page, and the QR of one of them. */
function ways(model: WaitingModel, hasRequisites: boolean, on: Handlers, t: Texts): TemplateResult | typeof nothing {
  const { state, handheld, stuck, copied, qrLink, otherDevice, picture } = model;
  const { nspk_url: app, payment_url: page } = state.invoice;
  const address = app ?? page;
  if (address === undefined && (handheld || otherDevice === undefined)) return nothing;
  const qr = qrLink === undefined ? nothing : qrCode(picture, app ? undefined : t.m.phoneText, on, t);
  const links = html`${app ? link(app, handheld ? t.m.openApp : t.m.payByLink, handheld ? 'main' : '', handheld, on, 'qr-link') : nothing}
  ${page ? link(page, t.m.openPage, app || hasRequisites ? '' : 'main', handheld, on) : nothing}
  ${stuck && address ? rescue(address, copied, on, t) : nothing}
  ${otherDevice && qrLink === undefined && !handheld ? button(t.m.showQr, on.showQr, 'quiet') : nothing}`;
  return html`${handheld ? nothing : qr}
  ${address || qrLink === undefined ? html`<div part="actions">${links}</div>` : nothing} ${handheld ? qr : nothing}`;
}

/** The requisites, the QR and the links of an invoice that waits to be paid. */
export function waitingScreen(model: WaitingModel, on: Handlers, t: Texts): TemplateResult {
  const { m } = t;
  const { state, copied, handheld, qrLink } = model;
  const { invoice, checkout, connection } = state;
  if (state.verifyingExpiry) return statement('clock', '', m.checking, m.checkingText, button(m.check, on.refresh));
  const lists = requisitesOf(invoice, checkout, t);
  const hasRequisites = lists.length > 0;
  const byLink = invoice.nspk_url !== undefined;
  const links = ways(model, hasRequisites, on, t);
  const byHand = !byLink && hasRequisites;
  const scans = byLink && qrLink !== undefined && !handheld;
  const toBank = lists.flat().some(({ field }) => field === 'bank');
  const stale = checkout.stale || connection.failures > 0;
  return html`
    ${state.slow ? note('', m.long) : nothing} ${stale ? problem(m.stale) : nothing}
    <div>
      ${scans ? lead(m.scan, m.scanText) : byHand ? lead(m.transfer, m.transferText(toBank)) : lead(m.payByLink, '')}
    </div>
    ${byLink ? links : nothing}
    ${lists.map((list, index) => [
      byLink || index > 0 ? html`<h4>${m.orTransfer}</h4>` : nothing,
      requisiteList(list, copied, on, t),
    ])}
    ${byLink ? nothing : links}
    <div class="tail">
      <p class="wait">${m.waiting}</p>
      ${button(m.leave, on.leave, 'quiet')}
    </div>
  `;
}
