import { html, type TemplateResult } from 'lit';
import type { CheckoutState } from '../../core.ts';
import type { FirstFileTranslator } from '../../i18n.ts';
import { choosingScreen, refusalText } from './choosing-screen.ts';
import { button, headingWithText, note, title } from './shared-templates.ts';
import type { OptionsHandlers } from './screen-props.ts';

/** Placeholders with the shape of the screen that is being loaded. */
export const skeleton = (): TemplateResult => html`
  <div class="stack" aria-hidden="true">
    <div class="skeleton"></div>
    <div class="skeleton"></div>
    <div class="skeleton"></div>
  </div>
`;

/** A screen with a heading, a text and placeholders, while something is awaited. */
const pendingScreen = (heading: string, text: string): TemplateResult =>
  html`<div>${headingWithText(heading, text)}</div>
    ${skeleton()}`;

/** The announcement of a state for screen readers, until the second file is loaded, which announces every state. */
export function firstFileAnnouncement(state: CheckoutState, { m }: FirstFileTranslator): string | undefined {
  switch (state.status) {
    case 'loading':
      return state.connection.failures ? m.offline : '';
    case 'choosing':
      return state.refusal ? refusalText(state.refusal.code, m) : state.checkout.options[0] ? m.choose : m.noMethods;
    case 'creating':
      return state.inDoubt ? m.unknown : m.creating;
    case 'waiting':
      return m.waiting;
    case 'paid':
      return m.paid;
    default:
      return undefined;
  }
}

/** The screen of a state before there is an invoice. Other states show `pending`. */
export function optionsScreen(
  state: CheckoutState,
  on: OptionsHandlers,
  t: FirstFileTranslator,
  pending = skeleton(),
): TemplateResult {
  switch (state.status) {
    case 'loading':
      return state.connection.failures
        ? html`<div>${headingWithText(t.m.offline, t.m.offlineText)}</div>
            ${button(t.m.again, on.refresh)}`
        : skeleton();
    case 'choosing':
      return choosingScreen(state, on, t);
    case 'creating':
      return state.inDoubt
        ? pendingScreen(t.m.unknown, t.m.unknownText)
        : pendingScreen(t.m.creating, t.m.creatingText);
    default:
      return pending;
  }
}

/** In place of a screen whose file has not come in time. */
export const lateNote = (status: CheckoutState['status'], { m }: FirstFileTranslator): TemplateResult =>
  html`${status === 'paid' ? title(m.paid) : ''}${note(
    m.late,
    m.lateText,
    button(m.reload, () => location.reload()),
  )}`;
