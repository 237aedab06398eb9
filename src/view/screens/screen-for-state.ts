import { html, type TemplateResult } from 'lit';
import type { CheckoutState, CreatingState, LoadingState } from '../../core.ts';
import type { Translator } from '../../i18n.ts';
import { choosingScreen } from './choosing-screen.ts';
import { outcomeScreen } from './outcome-screen.ts';
import { button, lead, statement } from './shared-templates.ts';
import type { Handlers, PaymentModel } from './screen-props.ts';
import { waitingScreen } from './waiting-screen.ts';

/** Placeholders with the shape of the screen that is being loaded. */
export const skeleton = (): TemplateResult => html`
  <div class="stack" aria-hidden="true">
    <div class="skeleton"></div>
    <div class="skeleton"></div>
    <div class="skeleton"></div>
  </div>
`;

/** No response yet; after a failed request, that the connection is missing and requests are repeated. */
function loadingScreen({ connection }: LoadingState, on: Handlers, { m }: Translator): TemplateResult {
  return connection.failures === 0
    ? skeleton()
    : statement('lost', '', m.offline, m.offlineText, button(m.again, on.refresh));
}

/** An invoice is being created; its outcome may be in doubt. */
function creatingScreen({ inDoubt }: CreatingState, { m }: Translator): TemplateResult {
  return html`<div>${inDoubt ? lead(m.unknown, m.unknownText) : lead(m.creating, m.creatingText)}</div>
    ${skeleton()}`;
}

/** The screen of a state. */
export function screen(state: CheckoutState, model: PaymentModel, on: Handlers, t: Translator): TemplateResult {
  switch (state.status) {
    case 'loading':
      return loadingScreen(state, on, t);
    case 'lost':
      return statement('lost', '', t.m.lost, t.m.lostText, '');
    case 'choosing':
      return choosingScreen(state, on, t);
    case 'creating':
      return creatingScreen(state, t);
    case 'waiting':
      return waitingScreen(state, model, on, t);
    case 'paid':
    case 'failed':
    case 'expired':
      return outcomeScreen(state, on, t);
  }
}
