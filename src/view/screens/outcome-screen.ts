import { html, nothing, type TemplateResult } from 'lit';
import type {
  CheckoutErrorCode,
  CheckoutState,
  Connection,
  CreatingState,
  EndedState,
  LoadingState,
  LostState,
  WaitingState,
} from '../../core.ts';
import { msUntilNextRead } from '../../core.ts';
import type { MessageKey, Translator } from '../../i18n.ts';
import { methodName } from './method-texts.ts';
import { skeleton } from './screens-before-invoice.ts';
import type { LabelledValue } from './payment-texts.ts';
import { donePath, valueRow } from './requisites.ts';
import { button, icon, title } from './shared-templates.ts';
import type { Handlers, PaymentScreenProps } from './screen-props.ts';

const offlinePath =
  'M4 4l16 16M2 9a15 15 0 0 1 5-3M11 5a15 15 0 0 1 11 4M5 13a10 10 0 0 1 5-3M15 11a10 10 0 0 1 4 2M9 17a4 4 0 0 1 6 0M12 20v.01';
const exclamationPath = 'M12 6v8M12 18v.01';
const clockPath = 'M12 3a9 9 0 1 0 .01 0M12 7v5l3 3';
const outcomeIcons = {
  paid: donePath,
  failed: 'M6 6l12 12M18 6L6 18',
  expired: clockPath,
  closed: exclamationPath,
} as const;

/** Something is being checked. */
const spinner = html`<span class="spinner" aria-hidden="true"></span>`;

/** A screen with one message: icon, heading, text and what follows. */
const messageScreen = (image: TemplateResult, heading: string, text: string, content: unknown): TemplateResult =>
  html`<div part="outcome">
      ${image} ${title(heading)}
      <p class="muted">${text}</p>
    </div>
    ${content}`;

/** The round picture of a screen. `current`: what it is about goes on. */
const markOf = (content: TemplateResult, kind: string): TemplateResult =>
  html`<span class="mark ${kind}">${content}</span>`;

const mark = (path: string, kind = ''): TemplateResult => markOf(icon(path), kind);

const link = (text: string, url: string, kind: string): TemplateResult =>
  html`<a class=${kind} href=${url}>${text}</a>`;

/** The screen of a checkout that does not exist, or not any more. */
const lostScreen = ({ lastCheckout }: LostState, { m }: Translator): TemplateResult =>
  messageScreen(
    mark(exclamationPath),
    m('lost.title'),
    m(lastCheckout ? 'lost.gone' : 'lost.text'),
    lastCheckout?.reference
      ? html`<p class="muted">${m('header.order')}: <bdi translate="no">${lastCheckout.reference}</bdi></p>`
      : nothing,
  );

/** The texts of a failed request: heading and sentence while there is nothing else to show, and the line on other screens. */
type FailureTexts = readonly [heading: MessageKey, text: MessageKey, line: MessageKey];
const connectionTexts: FailureTexts = ['unreachable.title', 'unreachable.text', 'waiting.connection-lost'];
const shopTexts: FailureTexts = ['unreachable.shop-title', 'unreachable.shop-text', 'waiting.shop-silent'];
const failures: Partial<Record<CheckoutErrorCode, FailureTexts>> = {
  network: connectionTexts,
  timeout: connectionTexts,
  rate_limited: ['unreachable.busy-title', 'unreachable.busy-text', 'waiting.busy'],
  malformed: ['unreachable.unreadable-title', 'unreachable.unreadable-text', 'waiting.unreadable'],
};
/** A page without an origin, as in a frame with `sandbox="allow-scripts"`: no backend answers it. */
const noOriginTexts: FailureTexts = ['unreachable.frame-title', 'unreachable.frame-text', 'unreachable.frame-text'];

function textsOf({ error }: Connection): FailureTexts {
  const texts = (error && failures[error.code]) ?? shopTexts;
  return texts === connectionTexts && origin === 'null' ? noOriginTexts : texts;
}

/** What is wrong with the news of a payment; undefined while nothing is. One failed read is no reason to worry. */
export function trouble({ checkout, connection }: WaitingState | EndedState, least = 2): MessageKey | undefined {
  if (connection.failures >= least) return textsOf(connection)[2];
  return checkout.stale ? 'waiting.service-late' : undefined;
}

/** Where no method takes the amount. */
const noMethodsScreen = (on: Handlers, { m }: Translator): TemplateResult =>
  messageScreen(
    mark(exclamationPath),
    m('options.none-title'),
    m('options.none-text'),
    button(m('action.try-again'), on.reload, 'main'),
  );

/** The screen while no request has succeeded. From a frame without an origin, only the page in a tab of its own can pay. */
function unreachableScreen(
  { connection }: LoadingState | CreatingState,
  on: Handlers,
  { m }: Translator,
): TemplateResult {
  const texts = textsOf(connection);
  return messageScreen(
    mark(texts === connectionTexts ? offlinePath : exclamationPath),
    m(texts[0]),
    m(texts[1]),
    origin === 'null'
      ? link(m('link.open-page'), location.href, 'main')
      : button(m('action.try-again'), on.reload, 'main'),
  );
}

/** The order's number and, once the checkout is paid, the payment's number, the method and the time. The amount is in the header. */
function factList(
  { status, checkout, invoice }: WaitingState | EndedState,
  { copyResult }: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): TemplateResult | typeof nothing {
  const { m, moment } = t;
  const { reference, paid_at: paidAt } = checkout;
  const isPaid = status === 'paid';
  const values = [
    ['reference', m('header.order'), reference],
    ['payment', m('receipt.payment'), isPaid && invoice?.id],
    ['method', m('receipt.method'), isPaid && invoice?.method && methodName(invoice.method, on, t)],
    ['paid_at', m('receipt.date'), isPaid && paidAt && moment(paidAt, 'year')],
  ] as const;
  const rows = values.flatMap(([field, label, text]): LabelledValue[] =>
    text ? [{ field, label, text, groups: [text], isCopied: field === 'reference' }] : [],
  );
  return rows[0] ? html`<dl>${rows.map((row) => valueRow(row, copyResult, on, t))}</dl>` : nothing;
}

/** When the service was asked, and not when the backend was; empty where that is not known. */
export function checkedAt({ invoice }: WaitingState | EndedState, t: Translator): string {
  const time = invoice?.checked_at && t.moment(invoice.checked_at, 'time');
  return time ? t.m('check.checked-at', { time }) : '';
}

/** A sentence about a check, and how often the page looks by itself, which stays true while it is read. */
export const withSchedule = (text: string, state: WaitingState | EndedState, { m }: Translator): string =>
  trouble(state, 1)
    ? text
    : `${text} ${m('check.again', { seconds: Math.ceil(msUntilNextRead(state) / 1000) })}`.trim();

/** The button that checks the payment. While a check is running, its text is "Checking…". */
export const checkButton = (
  { isChecking }: PaymentScreenProps,
  on: Handlers,
  text: string,
  { m }: Translator,
  kind = '',
): TemplateResult => button(isChecking ? html`${spinner} ${m('check.running')}` : text, on.refresh, kind);

/** The button that checks the payment, and below it the result, or why none comes; before, when the service was asked last. */
function check(
  state: WaitingState | EndedState,
  props: PaymentScreenProps,
  on: Handlers,
  t: Translator,
  text: string,
  kind = '',
): TemplateResult {
  const key = trouble(state);
  const result = key ? t.m(key) : withSchedule(props.checkResult || checkedAt(state, t), state, t);
  return html`${checkButton(props, on, text, t, kind)}
    <p class="checked ${key ? 'troubled' : ''}">${result}</p>`;
}

/** The screen while the expiry or the amount is checked. Nothing has to be done, so no button is the main one. */
function checkingScreen(state: WaitingState, props: PaymentScreenProps, on: Handlers, t: Translator): TemplateResult {
  const { m } = t;
  const place = state.verifyingAmount ? 'other-amount' : 'time-up';
  return messageScreen(
    markOf(state.verifyingAmount ? icon(clockPath) : spinner, 'current'),
    m(`${place}.title`),
    m(`${place}.text`),
    html`${factList(state, props, on, t)}
      <div part="actions">
        ${check(state, props, on, t, m(state.verifyingAmount ? 'other-amount.refresh' : 'check.button'))}
        ${state.verifyingAmount ? nothing : button(m('pay-again.button'), on.retry, 'quiet')}
      </div>`,
  );
}

/** What a payer has to know while his create request has no answer. He may have paid an earlier invoice. */
export const creatingText = ({ checkout, inDoubt, stuck }: CreatingState, { m }: Translator): string =>
  inDoubt ? m(`creating.${checkout.invoice ? 'earlier' : stuck ? 'no-answer' : 'slow'}-text`) : m('creating.text');

/**
 * An invoice is being created. Once that has been in doubt for long, the payer may choose another method, or go back to the shop.
 */
export const creatingScreen = (
  state: CreatingState,
  { creatingMs }: Pick<PaymentScreenProps, 'creatingMs'>,
  on: Pick<Handlers, 'dismissInvoice'>,
  t: Translator,
): TemplateResult => {
  const { checkout, inDoubt, stuck } = state;
  const { m } = t;
  return messageScreen(
    markOf(spinner, 'current'),
    m(inDoubt ? 'creating.slow-title' : 'creating.title'),
    creatingText(state, t),
    html`<p class="checked muted">
        ${creatingMs ? m('creating.elapsed', { time: t.timeLeft(creatingMs).trim() }) : ''}
      </p>
      ${
        stuck
          ? html`<div part="actions">
              ${button(m('waiting.other-method'), on.dismissInvoice)}
              ${checkout.return_urls.fail_url ? link(m('return.link'), checkout.return_urls.fail_url, 'quiet') : nothing}
            </div>`
          : nothing
      }`,
  );
};

/** The question whether the money was sent, before a new invoice. */
const confirmScreen = (
  state: WaitingState | EndedState,
  props: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): TemplateResult =>
  messageScreen(
    mark(clockPath),
    t.m('pay-again.question'),
    t.m('time-up.text'),
    html`${factList(state, props, on, t)}
      <div part="actions">
        ${check(state, props, on, t, t.m('pay-again.yes'), 'main')} ${button(t.m('pay-again.no'), on.retry)}
      </div>`,
  );

/** What the payer can do at the end of a payment. The first button is the main one. */
function outcomeActions(state: EndedState, props: PaymentScreenProps, on: Handlers, t: Translator): TemplateResult {
  const { m } = t;
  const { status, checkout } = state;
  const { success_url: successUrl, fail_url: failUrl } = checkout.return_urls;
  const { returnSeconds: seconds } = props;
  const returnUrl = status === 'paid' ? successUrl : failUrl;
  const ownCheck = (kind = ''): TemplateResult => check(state, props, on, t, m('check.button'), kind);
  const again = (text: string, kind = ''): TemplateResult => button(text, on.retry, kind);
  const own =
    status === 'failed'
      ? html`${again(m('action.try-again'), 'main')} ${ownCheck()}`
      : status !== 'expired'
        ? nothing
        : props.hadRequisites
          ? html`${ownCheck('main')} ${again(m('pay-again.button'))}`
          : html`${again(m('pay-again.button'), 'main')} ${ownCheck()}`;
  const returnText = seconds === undefined ? m('return.link') : m('return.link-in', { seconds });
  const returnLink = returnUrl && link(returnText, returnUrl, own === nothing ? 'main' : 'quiet');
  return html`<div part="actions">
    ${own} ${returnLink} ${seconds === undefined ? nothing : button(m('return.stay'), on.stay, 'quiet')}
  </div>`;
}

/** The end of a payment: paid, failed, expired or closed. */
function outcomeScreen(state: EndedState, props: PaymentScreenProps, on: Handlers, t: Translator): TemplateResult {
  const { m } = t;
  const { status } = state;
  const text = m(status === 'expired' && !props.hadRequisites ? 'expired.link-text' : `${status}.text`);
  const actions = outcomeActions(state, props, on, t);
  const facts = factList(state, props, on, t);
  return messageScreen(
    mark(outcomeIcons[status], status),
    m(`${status}.title`),
    text,
    // Once it is paid, the way back comes before the numbers, which few payers need.
    html`<slot name=${status}></slot>
      ${status === 'paid' ? html`${actions} ${facts} <slot name="receipt"></slot> ${button(m('paid.print'), on.print, 'quiet')}` : html`${facts} ${actions}`}`,
  );
}

/** Whether a payer may need a person: not all goes as it should. `own` is this file's screen of the state, which all other screens are. */
export const needsHelp = (state: CheckoutState, own: unknown): boolean =>
  'slow' in state
    ? !!own || state.slow || !!trouble(state)
    : 'refusal' in state
      ? !state.selected || !!state.refusal
      : 'inDoubt' in state
        ? state.inDoubt
        : !!own && state.status !== 'paid';

/** The second file's screen of a state; undefined where it is a screen of the first file. `notes` stand above the methods. */
export function secondFileScreen(
  state: CheckoutState,
  notes: unknown,
  props: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): TemplateResult | undefined {
  if (props.isConfirming && (state.status === 'waiting' || state.status === 'expired'))
    return confirmScreen(state, props, on, t);
  switch (state.status) {
    case 'loading':
      return state.connection.failures ? unreachableScreen(state, on, t) : undefined;
    case 'choosing':
      // "Choose another" is no help where there is no other.
      return state.checkout.options[0]
        ? undefined
        : html`${notes} ${state.refreshing ? skeleton() : noMethodsScreen(on, t)}`;
    case 'creating':
      if (state.connection.failures && origin === 'null') return unreachableScreen(state, on, t);
      return creatingScreen(state, props, on, t);
    case 'lost':
      return lostScreen(state, t);
    case 'waiting':
      return state.verifyingExpiry ? checkingScreen(state, props, on, t) : undefined;
    case 'paid':
    case 'failed':
    case 'expired':
    case 'closed':
      return outcomeScreen(state, props, on, t);
  }
}
