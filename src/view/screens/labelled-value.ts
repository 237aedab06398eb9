import { html, nothing, type TemplateResult } from 'lit';
import type { Translator } from '../../i18n.ts';
import { icon, isForeign } from './shared-templates.ts';
import type { Copyable, CopyResult, Handlers } from './screen-props.ts';

/** A value with its label. */
export interface LabelledValue extends Copyable {
  /** The displayed value, split into groups that are easy to read. */
  readonly groups: readonly string[];
  /** An instruction below the value. */
  readonly hint?: string | undefined;
  /** Whether the payer enters the value elsewhere. The whole row then copies it. */
  readonly isCopied: boolean;
  /** Whether a mistake in the value would send the money to somebody else. Such values are displayed larger. */
  readonly prominent?: boolean;
}

/** The click handler of a copy button. It passes the node that shows the value: in the button's row, or the list before it. */
export function copyOnClick(value: Copyable, on: Handlers): (event: Event) => void {
  return ({ currentTarget: button }) => {
    const row = button instanceof Element ? button.closest('div') : null;
    on.copy(value, row?.querySelector('bdi') ?? row?.previousElementSibling);
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
  return html`<div part=${part} class="${prominent ? 'key' : ''} ${isDone ? 'copied' : ''}">
    <dt part="label">${label}${copyNote(value, result, t)}</dt>
    <dd>
      <bdi part="value" lang=${isForeign(text, t) ? 'ru' : nothing}
        >${groups.map((group) => html`<span>${group}</span><wbr />`)}</bdi
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
