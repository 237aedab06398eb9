import { html, nothing, type TemplateResult } from 'lit';
import type { Translator } from '../../i18n.ts';
import { icon } from './shared-templates.ts';
import type { Copyable, CopyResult, Handlers } from './screen-props.ts';

/** A value with its label, which the payer can copy. */
export interface LabelledValue extends Copyable {
  readonly label: string;
  /** The displayed value, split into groups that are easy to read. */
  readonly groups: readonly string[];
  /** A warning below the value. */
  readonly hint?: string | undefined;
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

/** A note that the value was copied, or could not be; nothing where the last copy was of another value. */
export function copyNote(value: Copyable, result: CopyResult | undefined, { m }: Translator): unknown {
  if (!isResultOf(result, value)) return nothing;
  return html`<span class=${result.ok ? 'done' : 'failed'}> ${result.ok ? `· ${m.copied}` : m.copyFailed}</span>`;
}

const copyPath = 'M8 8h12v12H8zM16 8V4H4v12h4';
export const donePath = 'M5 12.5l5 5 9-11';

/** The row of a value in a list. The button has a `title` and no `aria-label`, because a screen reader would read both. */
export function copyableRow(
  value: LabelledValue,
  result: CopyResult | undefined,
  on: Handlers,
  t: Translator,
  part: string | typeof nothing = nothing,
): TemplateResult {
  const { label, groups, hint, prominent } = value;
  const isCopied = isResultOf(result, value) && result.ok;
  return html`<div part=${part} class=${prominent ? 'key' : ''}>
    <dt part="label">${label}${copyNote(value, result, t)}</dt>
    <dd>
      <bdi part="value">${groups.map((group) => html`<span>${group}</span><wbr />`)}</bdi>
      ${hint && html`<small>${hint}</small>`}
      <button
        part="copy button"
        type="button"
        class="quiet"
        title=${t.m.copyWhat(label)}
        @click=${copyOnClick(value, on)}
      >
        ${icon(isCopied ? donePath : copyPath)}
      </button>
    </dd>
  </div>`;
}
