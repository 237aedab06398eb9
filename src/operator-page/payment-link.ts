import { html, nothing, svg, type TemplateResult } from 'lit';
import { drawQr, quietZone } from '../base/qr-modules.ts';
import { encodeQr } from '../base/qr-encoder.ts';
import type { CheckoutDetails } from './admin-client.ts';
import { amountOf } from './amounts.ts';
import { foreign, isUndecided, tones } from './page-parts.ts';
import type { Translator } from './texts.ts';

interface View {
  readonly checkout: CheckoutDetails;
  /** The address of the pay page. It is in the memory of the page alone, never in its own address. */
  readonly url: string;
  readonly hasQr: boolean;
  /** What failed. It stands in the page, where it covers nothing that a customer looks at. */
  readonly problem: unknown;
  readonly translator: Translator;
  /** What was just copied. */
  readonly copied: string;
  readonly copy: (text: string) => void;
}

/** The states in which the payer may still pay. */
export const isPayable = ({ status }: Pick<CheckoutDetails, 'status'>): boolean =>
  status !== 'paid' && status !== 'closed';

/** The link of a checkout with the ways to hand it to the payer, and its state, which the page keeps up to date. */
export function paymentLink(view: View): TemplateResult {
  const { checkout, url, hasQr, problem, translator, copied, copy } = view;
  const { text: t, statusText } = translator;
  const { status, order_id: orderId, description } = checkout;
  const needsDecision = isUndecided(checkout);
  const state = status === 'open' ? t('linkOpen') : status === 'pending' ? t('linkPending') : statusText(status);
  const subject = `${t('payment')} ${orderId}`;
  const text = [subject, description, amountOf(checkout, translator)].filter((part) => part !== null).join(', ');
  const query = (members: Readonly<Record<string, string>>): string =>
    Object.entries(members).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&'); // prettier-ignore
  return html`<section class="card link" aria-labelledby="link-title">
    <h2 id="link-title">${t('linkTitle')}</h2>
    <p
      class="state ${tones[needsDecision ? 'undecided' : status] ?? ''}"
      role="status"
      tabindex="-1"
      ?data-start=${status === 'paid'}
    >
      <strong>${needsDecision ? t('needsDecision') : state}</strong>
    </p>
    ${
      isPayable(checkout) && !needsDecision
        ? html`<div class="hand-over">
            ${hasQr ? qrOf(url, t('qrName')) : nothing}
            <div>
              ${hasQr ? html`<p class="muted">${t('qrHint')}</p>` : nothing} ${problem}
              <label
                >${t('linkTitle')}<input readonly .value=${url} @focus=${(event: FocusEvent) => select(event.target)}
              /></label>
              <p class="row">
                <button type="button" class="main" data-start @click=${() => copy(url)}>
                  ${t(copied === url ? 'copied' : 'copy')}
                </button>
                ${
                  'share' in navigator
                    ? html`<button type="button" @click=${() => share({ title: subject, text, url })}>
                        ${t('share')}
                      </button>`
                    : nothing
                }
                <a class="button" href="sms:?&${query({ body: `${text}\n${url}` })}">${t('sms')}</a>
                <a class="button" href="mailto:?${query({ subject, body: `${text}\n\n${url}` })}">${t('mail')}</a>
                <a class="button" href=${url} target="_blank" rel="noreferrer">${t('openLink')}</a>
              </p>
              <p class="muted">${t('linkCare')}</p>
            </div>
          </div>`
        : html`${problem}
          ${
            status === 'paid'
              ? html`<p class="stamp good" aria-hidden="true">✓ ${foreign(amountOf(checkout, translator))}</p>`
              : nothing
          }`
    }
  </section>`;
}

const select = (field: EventTarget | null): void => (field instanceof HTMLInputElement ? field.select() : undefined);

/** The device's own sheet. Whoever dismisses it has changed his mind, which is no failure. */
const share = (data: ShareData): void => void navigator.share(data).catch(() => undefined);

/** Black on white in both themes, because many scanners read nothing else. */
function qrOf(url: string, name: string): TemplateResult {
  const image = drawQr(encodeQr(url));
  if (image === undefined) return html``;
  const side = image.size + 2 * quietZone;
  return html`<svg class="qr" role="img" aria-label=${name} viewBox="${-quietZone} ${-quietZone} ${side} ${side}">
    ${svg`<path d=${image.path} />`}
  </svg>`;
}
