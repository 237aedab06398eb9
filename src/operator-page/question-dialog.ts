import { html, nothing, type TemplateResult } from 'lit';
import type { CheckoutDetails, Invoice } from './admin-client.ts';
import { differenceOf, whyUndecided } from './amounts.ts';
import { decisionName, factList, foreign, methodOf } from './page-parts.ts';
import type { TextName, Translator } from './texts.ts';

/** What the operator may do. Each is confirmed before it is sent; `redeliverAll` has no path of its own. */
export interface Action {
  readonly name: 'check' | 'close' | 'reopen' | 'link' | 'resolve' | 'redeliver' | 'redeliverAll';
  readonly path?: readonly string[];
  /** The invoice that is decided about. */
  readonly invoice?: Invoice;
}

interface QuestionView {
  readonly question: Action | undefined;
  readonly checkout: CheckoutDetails | undefined;
  readonly translator: Translator;
  /** The decision that is chosen. */
  readonly choice: 'paid' | 'void' | undefined;
  readonly isBusy: boolean;
  /** What failed. The question stays with what was typed until it is done, or is given up. */
  readonly problem: unknown;
  readonly choose: (choice: 'paid' | 'void') => void;
  readonly answer: (event: Event) => void;
}

/** Asks once more before anything is done. It is one dialog for all questions: closed, it gives the focus back to what has asked. */
export const questionDialog = ({ question, ...view }: QuestionView): TemplateResult =>
  html`<dialog @cancel=${view.answer} aria-labelledby="question">
    ${question === undefined ? nothing : questionForm(question, view)}
  </dialog>`;

function questionForm({ name, invoice }: Action, view: Omit<QuestionView, 'question'>): TemplateResult {
  const { answer, choice, isBusy, problem } = view;
  const { text: t } = view.translator;
  const submitText = choice === undefined ? name : decisionName(choice);
  return html`<form @submit=${answer}>
    <h3 id="question">${t(name)}</h3>
    ${name === 'resolve' ? (invoice === undefined ? nothing : decision(invoice, view)) : html`<p>${t(`${name}Question`)}</p>`}
    ${problem}
    <p class="row">
      <button class="main" ?disabled=${isBusy}>${t(submitText)}</button>
      <button type="button" @click=${answer}>${t('cancel')}</button>
    </p>
  </form>`;
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
      [t('method')]: methodOf(invoice, translator),
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
