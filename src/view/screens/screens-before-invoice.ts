import { html, type TemplateResult } from 'lit';
import type { CheckoutState } from '../../core.ts';
import type { OptionsTranslator } from '../../i18n.ts';
import { choosingScreen, refusalText } from './choosing-screen.ts';
import { button, headingWithText } from './shared-templates.ts';
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
export const pendingScreen = (heading: string, text: string): TemplateResult =>
  html`<div>${headingWithText(heading, text)}</div>
    ${skeleton()}`;

/** The announcement of these screens for screen readers, until the payment chunk is loaded, which announces every state. */
export function optionsAnnouncement(state: CheckoutState, { m }: OptionsTranslator): string | undefined {
  switch (state.status) {
    case 'loading':
      return state.connection.failures ? m.offline : '';
    case 'choosing':
      return state.refusal ? refusalText(state.refusal.code, m) : state.checkout.options[0] ? m.choose : m.noMethods;
    case 'creating':
      return m.creating;
    default:
      return undefined;
  }
}

/** The screen of a state before there is an invoice. Other states have placeholders until the payment chunk is loaded. */
export function optionsScreen(state: CheckoutState, on: OptionsHandlers, t: OptionsTranslator): TemplateResult {
  switch (state.status) {
    case 'loading':
      return state.connection.failures
        ? html`<div>${headingWithText(t.m.offline, t.m.offlineText)}</div>
            ${button(t.m.again, on.refresh)}`
        : skeleton();
    case 'choosing':
      return choosingScreen(state, on, t);
    case 'creating':
      return pendingScreen(t.m.creating, t.m.creatingText);
    default:
      return skeleton();
  }
}
