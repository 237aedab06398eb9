import type { TemplateResult } from 'lit';
import type { CheckoutState } from '../../core.ts';
import type { Texts } from '../../i18n.ts';
import type { Handlers } from '../handlers.ts';
import { choosingScreen } from './choosing.ts';
import { endedScreen } from './ended.ts';
import { creatingScreen, loadingScreen, lostScreen } from './opening.ts';
import { waitingScreen, type PayingModel } from './waiting.ts';

/** The screen of a state. */
export function screen(state: CheckoutState, model: PayingModel, on: Handlers, t: Texts): TemplateResult {
  switch (state.status) {
    case 'loading':
      return loadingScreen(state, on, t);
    case 'lost':
      return lostScreen(t);
    case 'choosing':
      return choosingScreen(state, on, t);
    case 'creating':
      return creatingScreen(state, t);
    case 'waiting':
      return waitingScreen({ ...model, state }, on, t);
    case 'paid':
    case 'failed':
    case 'expired':
      return endedScreen(state, on, t);
  }
}
