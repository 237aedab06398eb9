import { html, nothing, type TemplateResult } from 'lit';
import type { WaitingState } from '../../core.ts';
import type { Translator } from '../../i18n.ts';
import { kindTexts, requisitesOf, transferRule, type LabelledValue, type RequisiteList } from './payment-texts.ts';
import type { Copyable, CopyResult, Handlers, PaymentScreenProps } from './screen-props.ts';
import { isForeign } from './method-texts.ts';
import { button, icon, title } from './shared-templates.ts';

/** The click handler of a copy button. It passes the node that shows the value: that in the button's row, or the list above it. */
export function copyOnClick(value: Copyable, on: Handlers): (event: Event) => void {
  return ({ currentTarget: button }) => {
    if (button instanceof Element) on.copy(value, button.closest('div')?.querySelector('dl, bdi'));
  };
}

/** Whether the last copy was of this value, and not of another value with the same text. */
const isResultOf = (result: CopyResult | undefined, value: Copyable): result is CopyResult =>
  result?.field === value.field && result.text === value.text;

const copyPath = 'M8 8h12v12H8zM16 8V4H4v12h4';
export const donePath = 'M5 12.5l5 5 9-11';

/** A note that the value was copied, or could not be; nothing where the last copy was of another value. */
export function copyNote(value: Copyable, result: CopyResult | undefined, { m }: Translator): unknown {
  if (!isResultOf(result, value)) return nothing;
  return html`<span class=${result.ok ? 'done' : 'failed'}>
    ${result.ok ? '· ' : ''}${m(result.ok ? 'copy.done' : 'copy.failed')}</span
  >`;
}

/** The row of a value in a list. The button has a `title` and no `aria-label`, because a screen reader would read both. */
export function valueRow(
  value: LabelledValue,
  result: CopyResult | undefined,
  on: Handlers,
  t: Translator,
  part: string | typeof nothing = nothing,
): TemplateResult {
  const { label, groups, hint, isCopied, prominent, text } = value;
  const isDone = isResultOf(result, value) && result.ok;
  // Some screen readers stop at each group: they get the style sheet's one text, which is not copied with the value.
  const isGrouped = groups.length > 1;
  return html`<div part=${part} class="${prominent ? 'key' : ''} ${isDone ? 'copied' : ''}">
    <dt part="label">${label}${copyNote(value, result, t)}</dt>
    <dd>
      <bdi
        part="value"
        translate="no"
        data-text=${isGrouped ? groups.join(' ') : nothing}
        lang=${isForeign(text, t) ? 'ru' : nothing}
        >${groups.map((group) => html`<span aria-hidden=${isGrouped || nothing}>${group}</span><wbr />`)}</bdi
      >
      ${hint && html`<small>${hint}</small>`}
      ${
        isCopied
          ? html`<button
              part="copy button"
              type="button"
              class="quiet"
              title=${t.m('copy.value', { label })}
              @click=${copyOnClick(value, on)}
            >
              ${icon(isDone ? donePath : copyPath)}
            </button>`
          : nothing
      }
    </dd>
  </div>`;
}

/** A list as text lines, to paste into a message: how to send the money, the values, and the warnings. */
function asMessage(rule: string, { rows }: RequisiteList): string {
  return [rule, ...rows.map(({ label, text, hint }) => [`${label}: ${text}`, hint].filter(Boolean).join('\n'))].join(
    '\n',
  );
}

/** A list of requisites, with a button that copies all values and the instruction how to send the money. */
function requisiteList(
  list: RequisiteList,
  { checkout, invoice }: WaitingState,
  { copyResult }: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): TemplateResult {
  const allValues = {
    field: 'all',
    label: t.m('copy.all'),
    // A getter, because writing the date constructs a formatter of `Intl`, which is slow. It runs only when the payer copies.
    get text() {
      return asMessage(transferRule(invoice, checkout, t, undefined, 'zone'), list);
    },
  };
  const note = copyNote(allValues, copyResult, t);
  return html`<div class="list">
    <dl part="requisites">${list.rows.map((row) => valueRow(row, copyResult, on, t, 'requisite'))}</dl>
    ${button(note === nothing ? t.m('copy.all') : note, copyOnClick(allValues, on), 'quiet')}
  </div>`;
}

/** Closes the other kinds of requisites, as `name` of `<details>` does in browsers that support it. */
function closeOthers({ currentTarget: openedList }: Event): void {
  if (!(openedList instanceof HTMLDetailsElement) || !openedList.open) return;
  for (const list of openedList.parentElement?.querySelectorAll<HTMLDetailsElement>('.kind') ?? [])
    if (list !== openedList) list.open = false;
}

/**
 * The requisites with their heading and the instruction how to send the money; undefined where the invoice has none. Of
 * several lists, only one is open at a time. With `isFolded`, none is open at first.
 */
export function requisites(
  state: WaitingState,
  isFolded: boolean,
  props: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): TemplateResult | undefined {
  const { invoice, checkout } = state;
  const { m } = t;
  const lists = requisitesOf(invoice, checkout, t);
  const [first] = lists;
  if (!first) return undefined;
  // Every second part is a value.
  const ruleParts = transferRule(invoice, checkout, t, (value) => `|${value}|`).split('|');
  const rule = html`<p class="rule">
    ${ruleParts.map((text, index) => (index % 2 ? html`<bdi translate="no">${text}</bdi>` : text))}
  </p>`;
  const templates = lists.map((list) => requisiteList(list, state, props, on, t));
  return html`<div>
      ${invoice.nspk_url ? html`<h4>${m('waiting.or-transfer')}</h4>` : title(m(kindTexts[first.kind][0]))}
      ${checkout.test ? html`<p class="rule troubled">${m('transfer.test')}</p>` : nothing} ${rule}
    </div>
    ${
      lists.length === 1 && !isFolded
        ? templates
        : templates.map(
            (template, index) =>
              html`<details class="kind" name="kind" ?open=${index === 0 && !isFolded} @toggle=${closeOthers}>
                <summary>${m(kindTexts[lists[index]?.kind ?? 'account'][1])}</summary>
                ${template}
              </details>`,
          )
    }`;
}
