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
  /** The decision that is chosen. */
  readonly choice?: 'paid' | 'void';
}

interface QuestionView {
  readonly question: Action | undefined;
  readonly checkout: CheckoutDetails | undefined;
  readonly translator: Translator;
  /** What was typed about each invoice, by its `external_id`: the browser's Back and Cancel lose nothing of it. */
  readonly notes: Map<string, string>;
  readonly isBusy: boolean;
  /** What failed. The question stays with what was typed until it is done, or is given up. */
  readonly problem: unknown;
  readonly ask: (question: Action) => void;
  readonly answer: (event: Event) => void;
}

/** Asks once more before anything is done. It is one dialog for all questions: closed, it gives the focus back to what has asked. */
export const questionDialog = ({ question, ...view }: QuestionView): TemplateResult =>
  html`<dialog @cancel=${view.answer} aria-labelledby="question">
    ${question === undefined ? nothing : questionForm(question, view)}
  </dialog>`;

function questionForm(question: Action, view: Omit<QuestionView, 'question'>): TemplateResult {
  const { name, invoice, choice } = question;
  const { answer, isBusy, problem } = view;
  const { text: t } = view.translator;
  const submitText = choice === undefined ? name : decisionName(choice);
  return html`<form @submit=${answer}>
    <h3 id="question">${t(name)}</h3>
    ${name === 'resolve' ? (invoice === undefined ? nothing : decision(question, invoice, view)) : html`<p>${t(`${name}Question`)}</p>`}
    ${problem}
    <p class="row">
      <button class="main" ?disabled=${isBusy}>${t(submitText)}</button>
      <button type="button" @click=${answer}>${t('cancel')}</button>
    </p>
  </form>`;
}

/** Both sums, and what each of the two decisions does. */
function decision(question: Action, invoice: Invoice, view: Omit<QuestionView, 'question'>): TemplateResult {
  const { checkout, translator, notes, ask } = view;
  const { text: t, money } = translator;
  const { external_id: id, paid_amount: came } = invoice;
  const currency = checkout?.currency ?? null;
  const isSecond = checkout?.status === 'paid';
  const option = (as: 'paid' | 'void', label: TextName, meaning: TextName): TemplateResult =>
    html`<label class="option"
      ><input
        type="radio"
        name="as"
        value=${as}
        required
        .checked=${question.choice === as}
        @change=${() => ask({ ...question, choice: as })}
      /><span><strong>${t(label)}</strong> <span class="muted">${t(meaning)}</span></span></label
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
    <label
      >${t('note')}<textarea
        name="note"
        rows="2"
        maxlength="1000"
        required
        .value=${notes.get(id) ?? ''}
        @input=${({ currentTarget }: Event) =>
          currentTarget instanceof HTMLTextAreaElement && notes.set(id, currentTarget.value)}
      ></textarea>
    </label>
  `;
}
