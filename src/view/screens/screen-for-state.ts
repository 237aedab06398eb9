import type { TemplateResult } from 'lit';
import type { CheckoutState } from '../../core.ts';
import type { Translator } from '../../i18n.ts';
import { optionsScreen, pendingScreen } from './screens-before-invoice.ts';
import { lostScreen, offlineScreen, outcomeScreen } from './outcome-screen.ts';
import type { Handlers, PaymentScreenProps } from './screen-props.ts';
import { waitingScreen } from './waiting-screen.ts';

/** The screen of a state. */
export function screenForState(
  state: CheckoutState,
  props: PaymentScreenProps,
  on: Handlers,
  t: Translator,
): TemplateResult {
  switch (state.status) {
    case 'loading':
      return state.connection.failures > 0 ? offlineScreen(on, t) : optionsScreen(state, on, t);
    case 'lost':
      return lostScreen(t);
    case 'choosing':
      return optionsScreen(state, on, t);
    case 'creating':
      return state.inDoubt ? pendingScreen(t.m.unknown, t.m.unknownText) : optionsScreen(state, on, t);
    case 'waiting':
      return waitingScreen(state, props, on, t);
    case 'paid':
    case 'failed':
    case 'expired':
    case 'closed':
      return outcomeScreen(state, props, on, t);
  }
}
