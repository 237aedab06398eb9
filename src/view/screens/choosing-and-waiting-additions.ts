import { html, nothing, type TemplateResult } from 'lit';
import { quietZone } from '../../base/qr-modules.ts';
import type { ChoosingState, WaitingState } from '../../core.ts';
import type { Translator } from '../../i18n.ts';
import type { ChoosingAdditions } from './screens-before-invoice.ts';
import { isBankAwaited } from '../controllers/app-launch.ts';
import { checkButton, trouble, withSchedule } from './outcome-screen.ts';
import { amountErrorText, limitsText, refusalText } from './payment-texts.ts';
import { copyNote, copyOnClick, requisites } from './requisites.ts';
import type { CopyResult, Handlers, PaymentScreenProps, QrProps } from './screen-props.ts';
import { button, note } from './shared-templates.ts';
import { timeBar } from './time-bar.ts';
import { qrTemplate, qrWidth, type WaitingAdditions } from './waiting-screen.ts';

// What the second file adds to the screens of the first file.

/** What this file adds to the methods. An error of the typed amount is shown once the amount is checked. */
export function choosingAdditions(
  state: ChoosingState,
  isAmountChecked: boolean,
  on: Handlers,
  t: Translator,
): ChoosingAdditions {
  const { activeInvoice, refusal, checkout } = state;
  const { m } = t;
  return {
    notes: html`${
      refusal ? html`<p part="error" class="note" tabindex="-1">${refusalText(refusal.code, state, t)}</p>` : nothing
    }
    ${
      activeInvoice
        ? note(
            m('dismissed.title'),
            m('dismissed.text', { amount: t.brief(activeInvoice.amount, checkout.currency) }),
            button(m('dismissed.back'), on.resumeInvoice),
          )
        : nothing
    }`,
    limits: limitsText(state, t),
    amountError: isAmountChecked ? amountErrorText(state, t) : '',
  };
}

/** A note with an address that the payer can copy. It is shown where it could not be copied: it is selected then. */
function noteWithAddress(
  heading: string,
  more: unknown,
  text: string,
  copyResult: CopyResult | undefined,
  on: Handlers,
  t: Translator,
): TemplateResult {
  const address = { field: 'link', label: t.m('app-link.copy'), text };
  return html`<div part="note" class="note">
    <strong>${heading}</strong>
    ${more}
    <bdi ?hidden=${copyResult?.ok ?? true}>${text}</bdi>
    ${button(address.label, copyOnClick(address, on))} ${copyNote(address, copyResult, t)}
  </div>`;
}

/** Help for a payer whose browser did not open a link. It has its place from the click on. */
function appHelp(
  link: string,
  { appLaunch: { phase, help }, copyResult }: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): TemplateResult | typeof nothing {
  if (!phase || phase === 'opened') return nothing;
  if (!help) return html`<div class="place"></div>`;
  const { m } = t;
  const { phoneUrl, browserUrl } = help;
  const more = browserUrl
    ? html`<a class="main" href=${browserUrl}>${m('app-link.open-browser')}</a>`
    : html`<p>${m('app-link.not-opened-text')}</p>`;
  return html`<div class="place">
    ${noteWithAddress(m('app-link.not-opened'), more, phoneUrl ?? link, copyResult, on, t)}
  </div>`;
}

/** The QR for another device: folded on a phone, which cannot scan its own screen; on a desktop, after the payer asked for it. */
function otherDevice(
  { invoice }: WaitingState,
  qr: QrProps,
  { otherDeviceUrl, qrPicture, isQrMissing, copyResult }: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): TemplateResult | typeof nothing {
  const { m } = t;
  const { touch, qrLink, qrImage } = qr;
  const besideQr = qrImage ? '' : 'pending';
  // Also without the file that draws it: a payer who unfolds it reads so.
  if (touch && (invoice.nspk_url ?? qrLink) !== undefined)
    return html`<details class="fold" @toggle=${on.unfoldQr}>
      <summary>${m('qr.show')}</summary>
      <div class="qr">
        ${
          qrLink === undefined
            ? note(
                m('file-late.title'),
                m('file-late.text'),
                button(m('file-late.reload'), () => location.reload()),
              )
            : html`${
                qrPicture && qrImage
                  ? html`<div class="paper">
                      <img
                        part="qr"
                        width=${qrWidth(qrImage.size + 2 * quietZone, touch)}
                        src=${qrPicture}
                        alt=${m('qr.name')}
                      />
                    </div>`
                  : qrTemplate(qr, t)
              }
              ${button(m('qr.save'), on.saveQr, `quiet ${besideQr}`)}`
        }
        ${qrPicture === undefined ? nothing : html`<p>${m(qrPicture ? 'qr.save-by-press' : 'qr.save-by-screenshot')}</p>`}
      </div>
    </details>`;
  if (touch || otherDeviceUrl === undefined || (invoice.nspk_url && qrLink !== undefined)) return nothing;
  if (qrLink !== undefined)
    return html`<div class="qr">
      <p class="muted ${besideQr}">${m('qr.pay-on-phone')}</p>
      ${qrTemplate(qr, t)}
    </div>`;
  return html`${
    isQrMissing ? noteWithAddress(m('file-late.title'), nothing, otherDeviceUrl, copyResult, on, t) : nothing
  }${button(m('qr.continue-on-phone'), on.showQr, 'link')}`;
}

/** The status line. After a click on the link to the bank's app, it names whose answer is awaited. */
function statusLine(state: WaitingState, props: PaymentScreenProps, t: Translator): TemplateResult {
  const { m, moment } = t;
  const line = (text: string, kind = ''): TemplateResult => html`<p class="status ${kind}">${text}</p>`;
  const key = trouble(state);
  if (key) return line(m(key), 'troubled');
  if (props.checkResult) return line(withSchedule(props.checkResult, state, t));
  if (state.slow) return line(m('waiting.slow'));
  if (isBankAwaited(props.appLaunch)) return line(m('waiting.bank'), props.appLaunch.isSpinning ? 'awaited' : '');
  // The instruction of a transfer has the deadline already.
  const { expires_at: end, sbp, card, bank_transfer: transfer } = state.invoice;
  const time = end && !(sbp ?? card ?? transfer) && moment(end, 'time');
  return line(time ? m('waiting.status-until', { time }) : m('waiting.status'));
}

/** What this file adds to the screen of a waiting invoice. */
export function waitingAdditions(
  state: WaitingState,
  qr: QrProps,
  props: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): WaitingAdditions {
  const { m } = t;
  const { nspk_url: appUrl, payment_url: pageUrl } = state.invoice;
  const link = appUrl ?? pageUrl;
  const isQrShown = appUrl && qr.qrLink !== undefined && !qr.touch;
  return {
    appText: props.appLaunch.isApp && props.appLaunch.phase ? m('link.open-app-again') : undefined,
    appKind: isBankAwaited(props.appLaunch) || props.appLaunch.help?.browserUrl ? '' : 'main',
    timeBar: timeBar(props.time),
    // Without spaces between them: an empty line has no height.
    besideLinks: html`${appUrl && qr.touch ? props.bankTiles?.(appUrl, t) : nothing}${link && appHelp(link, props, on, t)}${otherDevice(state, qr, props, on, t)}`,
    // On a phone the app is the way to pay; the requisites would push all below them out of view.
    requisites: requisites(state, qr.touch && !!appUrl, props, on, t),
    follow: html`<div class="follow">
      ${
        isQrShown
          ? html`<ol class="order ${qr.qrImage ? '' : 'pending'}">
              ${m('qr.steps')
                .split('\n')
                .map((step) => html`<li>${step}</li>`)}
            </ol>`
          : nothing
      }
      <div class="bar">
        <div part="actions">
          ${checkButton(props, on, m('check.button'), t, isBankAwaited(props.appLaunch) ? 'main' : '')}
        </div>
        ${statusLine(state, props, t)}
      </div>
      <div class="tail">${button(m('waiting.other-method'), on.dismissInvoice, 'muted')}</div>
    </div>`,
  };
}
