import { html, type TemplateResult } from 'lit';
import type { CheckoutState, LoadingState } from '../../core.ts';
import type { OptionsTranslator } from '../../i18n.ts';
import { choosingScreen } from './choosing-screen.ts';
import { button, lead, statement } from './shared-templates.ts';
import type { OptionsHandlers } from './screen-props.ts';

/** Placeholders with the shape of the screen that is being loaded. */
export const skeleton = (): TemplateResult => html`
  <div class="stack" aria-hidden="true">
    <div class="skeleton"></div>
    <div class="skeleton"></div>
    <div class="skeleton"></div>
  </div>
`;

/** No response yet; after a failed request, that the connection is missing and requests are repeated. */
function loadingScreen({ connection }: LoadingState, on: OptionsHandlers, { m }: OptionsTranslator): TemplateResult {
  return connection.failures === 0
    ? skeleton()
    : statement('lost', '', m.offline, m.offlineText, button(m.again, on.refresh));
}

/** A screen with no more than a heading and a text, while something is awaited. */
export const pendingScreen = (heading: string, text: string): TemplateResult =>
  html`<div>${lead(heading, text)}</div>
    ${skeleton()}`;

/** Whether requests fail. Until the file is loaded that announces every state to screen readers, this one is announced. */
export const isOffline = (state: CheckoutState): boolean => 'connection' in state && state.connection.failures > 0;

/** The screen of a state before there is an invoice; a placeholder for the others, whose screens are loaded later. */
export function optionsScreen(state: CheckoutState, on: OptionsHandlers, t: OptionsTranslator): TemplateResult {
  switch (state.status) {
    case 'loading':
      return loadingScreen(state, on, t);
    case 'lost':
      return statement('lost', '', t.m.lost, t.m.lostText, '');
    case 'choosing':
      return choosingScreen(state, on, t);
    case 'creating':
      return pendingScreen(t.m.creating, t.m.creatingText);
    default:
      return skeleton();
  }
}
