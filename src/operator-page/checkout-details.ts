import { html, nothing, type TemplateResult } from 'lit';
import type { CheckoutDetails, Invoice, Outcome } from './admin-client.ts';
import { differenceOf, whyUndecided } from './checkout-list.ts';
import { checkoutChip, factList, foreign, statusChip } from './page-parts.ts';
import { isPayable } from './payment-link.ts';
import type { TextName, Translator } from './texts.ts';

/** What the operator may do. Each is confirmed before it is sent; `redeliverAll` has no path of its own. */
export interface Action {
  readonly name: 'check' | 'close' | 'reopen' | 'link' | 'resolve' | 'redeliver' | 'redeliverAll';
  readonly path?: readonly string[];
  /** The invoice that is decided about. */
  readonly invoice?: Invoice;
}

interface View {
  readonly checkout: CheckoutDetails;
  readonly translator: Translator;
  readonly act: (action: Action) => void;
  /** The link that was handed out, or nothing. */
  readonly link: unknown;
  readonly copy: (text: string) => void;
}

const actionButton = (action: Action, { act, translator }: View, isMain = false): TemplateResult =>
  html`<button type="button" class=${isMain ? 'main' : nothing} @click=${() => act(action)}>
    ${translator.text(action.name)}
  </button>`;

/** A checkout with its invoices, its outcomes, and everything that has happened to it. */
export function checkoutDetails(view: View): TemplateResult {
  const { checkout, translator, link } = view;
  const { id, status, closed_at: closedAt, invoices, outcomes } = checkout;
  const { text: t, time, money } = translator;
  const isClosed = closedAt !== null || status === 'closed';
  const to = (name: Exclude<Action['name'], 'redeliverAll'>): Action => ({ name, path: ['checkouts', id, name] });
  return html`
    <section class="card">
      <div class="row">
        <h1>${t('order')} ${foreign(checkout.order_id)}</h1>
        ${checkoutChip(checkout, translator)}
      </div>
      <p class="amount">${money(checkout.amount, checkout.currency)}</p>
      ${checkout.description === null ? nothing : html`<p>${foreign(checkout.description)}</p>`}
      <div class="row">
        ${!isPayable(checkout) || link !== nothing ? nothing : actionButton(to('link'), view, true)}
        ${invoices.length === 0 ? nothing : actionButton(to('check'), view)}
        ${status === 'paid' ? nothing : actionButton(to(isClosed ? 'reopen' : 'close'), view)}
      </div>
      ${factList({
        [t('created')]: time(checkout.created_at),
        [t('payableUntil')]: checkout.expires_at === null ? null : time(checkout.expires_at),
        [translator.statusText('paid')]: checkout.paid_at === null ? null : time(checkout.paid_at),
      })}
      ${forDevelopers({ [t('checkout')]: id, [t('reference')]: checkout.reference }, view)}
    </section>
    ${link}
    ${invoices.map((invoice, index) => (invoice.needs_decision ? undecidedCard(invoice, index, view) : nothing))}
    <h2>${t('invoices')}</h2>
    ${
      invoices.length === 0
        ? html`<p class="muted">${t('noneYet')}</p>`
        : invoices.map((invoice, index) => invoiceCard(invoice, index, view))
    }
    <h2>${t('outcomes')}</h2>
    ${
      outcomes.length === 0
        ? html`<p class="muted">${t('noneYet')}</p>`
        : outcomes.map((outcome) => outcomeCard(outcome, view))
    }
    <h2>${t('history')}</h2>
    ${history(checkout, translator)}
  `;
}

/** Identifiers, which the log and the service name, each with a button that copies it. */
function forDevelopers(names: Readonly<Record<string, string | null>>, { translator, copy }: View): TemplateResult {
  const { text: t } = translator;
  const copied = (name: string, value: string): TemplateResult =>
    html`${foreign(value)}
      <button type="button" class="small" aria-label="${t('copy')}: ${name}" @click=${() => copy(value)}>⧉</button>`;
  return html`<details>
    <summary>${t('developers')}</summary>
    ${factList(Object.fromEntries(Object.entries(names).map(([name, value]) => [name, value && copied(name, value)])))}
  </details>`;
}

function undecidedCard(invoice: Invoice, index: number, view: View): TemplateResult {
  const { checkout, translator } = view;
  const action: Action = { name: 'resolve', path: ['checkouts', checkout.id, 'resolve'], invoice };
  return html`<section class="card alarm">
    <h2>${translator.text('needsDecision')}</h2>
    <p>${invoiceName(index, translator)}: ${whyUndecided(invoice, checkout.currency, translator)}</p>
    ${actionButton(action, view, true)}
  </section>`;
}

/** What a person has decided, or is about to. */
const decisionName = (as: 'paid' | 'void'): TextName => (as === 'paid' ? 'doPaid' : 'doVoid');

const invoiceName = (index: number, { text: t }: Translator): string => `${t('invoice')} ${index + 1}`;

function invoiceCard(invoice: Invoice, index: number, view: View): TemplateResult {
  const { checkout, translator } = view;
  const { text: t, time, money } = translator;
  const { currency } = checkout;
  const { paid_amount: came, resolution } = invoice;
  return html`<section class="card">
    <div class="row">
      <h3>${invoiceName(index, translator)}</h3>
      ${statusChip(invoice.status, translator)}
      <strong>${money(invoice.amount, currency)}</strong>
    </div>
    ${factList({
      [t('method')]: foreign(invoice.method?.name ?? '–'),
      [t('cameAmount')]: came === null ? null : money(came, currency),
      [t('decided')]: resolution === null ? null : html`${t(decisionName(resolution.as))}. ${foreign(resolution.note)}`,
      [t('serviceSays')]: foreign(invoice.service_status ?? '–'),
      [t('deadline')]: time(invoice.expires_at),
      [t('lastCheck')]: time(invoice.checked_at),
      [t('nextCheck')]: time(invoice.next_check_at),
    })}
    ${forDevelopers({ [t('invoiceId')]: invoice.id, [t('attempt')]: invoice.external_id }, view)}
  </section>`;
}

function outcomeCard(outcome: Outcome, view: View): TemplateResult {
  const { text: t, time, money, kindText } = view.translator;
  const { delivered_at: deliveredAt, abandoned_at: abandonedAt, deliveries } = outcome;
  const state = deliveredAt !== null ? 'delivered' : abandonedAt !== null ? 'abandoned' : 'nextTry';
  const at = time(deliveredAt ?? abandonedAt ?? outcome.next_delivery_at);
  const last = deliveries.at(-1);
  return html`<section class="card">
    <div class="row">
      <h3>${foreign(kindText(outcome.kind))}</h3>
      <strong>${money(outcome.amount, view.checkout.currency)}</strong>
      <span class=${deliveredAt === null ? 'bad' : 'good'}>${t(state)} ${at}</span>
      ${actionButton({ name: 'redeliver', path: ['outcomes', outcome.id, 'redeliver'] }, view)}
    </div>
    ${factList({
      [t('tries')]: deliveries.length,
      [t('lastTry')]:
        last === undefined ? null : html`${time(last.at)}: ${foreign(deliveryResult(last, view.translator))}`,
    })}
    ${forDevelopers({ [t('outcomeId')]: outcome.id }, view)}
  </section>`;
}

export const deliveryResult = ({ status, error }: Outcome['deliveries'][number], { textOr }: Translator): string =>
  textOr(error ?? (status === null ? 'OK' : `HTTP ${status}`));

interface Line {
  readonly at: string;
  /** Who has caused it. */
  readonly actor: 'payer' | 'service' | 'shop' | 'person';
  readonly text: TemplateResult;
}

/** Everything that has happened to a checkout, oldest first, by day. */
function history(checkout: CheckoutDetails, translator: Translator): TemplateResult {
  const { text: t, clock, day } = translator;
  const lines = linesOf(checkout, translator);
  const now = Date.now();
  return html`<ol class="card history">
    ${lines.map(({ at, actor, text }, index) => {
      const isNewDay = day(at) !== day(lines[index - 1]?.at ?? '');
      const isAhead = Date.parse(at) > now;
      return html`${isNewDay ? html`<li class="day">${day(at)}</li>` : nothing}
        <li class=${isAhead ? 'ahead' : nothing}>
          <time datetime=${at}>${clock(at)}</time><span class="muted">${t(actor)}</span>
          <span>${text}${isAhead ? html` (${t('ahead')})` : nothing}</span>
        </li>`;
    })}
  </ol>`;
}

function linesOf(checkout: CheckoutDetails, translator: Translator): readonly Line[] {
  const { text: t, textOr, kindText, money } = translator;
  const lines: Line[] = [];
  const add = (at: string | null, actor: Line['actor'], text: TemplateResult): void => {
    if (at !== null) lines.push({ at, actor, text });
  };
  const nameOf = (externalId: string): string => {
    const index = checkout.invoices.findIndex((invoice) => invoice.external_id === externalId);
    return index < 0 ? '' : invoiceName(index, translator);
  };
  add(checkout.created_at, 'shop', html`${t('created')}`);
  for (const invoice of checkout.invoices) {
    const { external_id: externalId, resolution } = invoice;
    const name = nameOf(externalId);
    const method = foreign(invoice.method?.name ?? '–');
    add(
      invoice.created_at,
      'payer',
      html`${t('asked')}: ${name}, ${method}, ${money(invoice.amount, checkout.currency)}`,
    );
    for (const { at, status } of invoice.status_history)
      add(at, 'service', html`${t('serviceSays')} ${foreign(status)}: ${name}`);
    add(invoice.expires_at, 'service', html`${t('deadline')}: ${name}`);
    if (resolution !== null)
      add(
        resolution.at,
        'person',
        html`${t('decided')}: ${t(decisionName(resolution.as))}, ${name}. ${foreign(resolution.note)}`,
      );
  }
  for (const { kind, deliveries, ...outcome } of checkout.outcomes) {
    const told = foreign(kindText(kind));
    add(outcome.occurred_at, 'shop', html`${t('told')}: ${told}`);
    // Of the hundreds of tries at a shop that is down: those after which the result is another, and the last one.
    const results = deliveries.map((delivery) => deliveryResult(delivery, translator));
    for (const [index, { at }] of deliveries.entries())
      if (results[index] !== results[index - 1] || index + 1 === results.length)
        add(at, 'shop', html`${t('delivery')} ${index + 1}, ${told}: ${foreign(results[index] ?? '')}`);
    add(outcome.abandoned_at, 'shop', html`${told}: ${t('abandoned')}`);
  }
  for (const { at, action, target } of checkout.actions) {
    const outcome = checkout.outcomes.find(({ id }) => id === target);
    const about = outcome === undefined ? nameOf(target ?? '') : kindText(outcome.kind);
    add(at, 'person', html`${textOr(action)}${about === '' ? nothing : html`, ${foreign(about)}`}`);
  }
  add(checkout.paid_at, 'payer', html`${translator.statusText('paid')}`);
  return lines.sort((left, right) => Date.parse(left.at) - Date.parse(right.at));
}

interface QuestionView {
  readonly question: Action | undefined;
  readonly checkout: CheckoutDetails | undefined;
  readonly translator: Translator;
  /** The decision that is chosen. */
  readonly choice: 'paid' | 'void' | undefined;
  readonly choose: (choice: 'paid' | 'void') => void;
  readonly answer: (event: Event) => void;
}

/** Asks once more before anything is done. */
export function questionDialog({ question, ...view }: QuestionView): TemplateResult {
  const { answer, choice } = view;
  const { text: t } = view.translator;
  if (question === undefined) return html`<dialog></dialog>`;
  const { name, invoice } = question;
  const submitText = choice === undefined ? name : decisionName(choice);
  return html`<dialog @cancel=${answer} aria-labelledby="question">
    <form @submit=${answer}>
      <h3 id="question">${t(name)}</h3>
      ${name === 'resolve' ? (invoice === undefined ? nothing : decision(invoice, view)) : html`<p>${t(`${name}Question`)}</p>`}
      <p class="row">
        <button class="main">${t(submitText)}</button>
        <button type="button" @click=${answer}>${t('cancel')}</button>
      </p>
    </form>
  </dialog>`;
}

/** Both sums, and what each of the two decisions does. */
function decision(invoice: Invoice, view: Omit<QuestionView, 'question'>): TemplateResult {
  const { checkout, translator, choice, choose } = view;
  const { text: t, money } = translator;
  const { paid_amount: came } = invoice;
  const currency = checkout?.currency ?? null;
  const isSecond = checkout?.status === 'paid';
  const option = (as: 'paid' | 'void', label: TextName, meaning: TextName): TemplateResult =>
    html`<label class="option"
      ><input type="radio" name="as" value=${as} required .checked=${choice === as} @change=${() => choose(as)} /><span
        ><strong>${t(label)}</strong> <span class="muted">${t(meaning)}</span></span
      ></label
    >`;
  return html`
    ${factList({
      [t('order')]: foreign(checkout?.order_id ?? ''),
      [t('method')]: foreign(invoice.method?.name ?? '–'),
      [t('expectedAmount')]: money(invoice.amount, currency),
      [t('cameAmount')]: came === null ? null : money(came, currency),
      [t('difference')]:
        came === null
          ? null
          : html`<strong class="bad">${differenceOf(invoice.amount, came, currency, translator)}</strong>`,
    })}
    ${came === null ? html`<p class="bad">${whyUndecided(invoice, currency, translator)}</p>` : nothing}
    ${isSecond ? option('paid', 'asSecondPaid', 'asSecondPaidMeans') : option('paid', 'asPaid', 'asPaidMeans')}
    ${option('void', 'asVoid', 'asVoidMeans')}
    <label>${t('note')}<textarea name="note" rows="2" maxlength="1000" required></textarea></label>
  `;
}
