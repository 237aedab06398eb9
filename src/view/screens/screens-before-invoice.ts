import { html, type TemplateResult } from 'lit';
import type { CheckoutState } from '../../core.ts';
import type { FirstFileTranslator } from '../../i18n.ts';
import { choosingScreen, type ChoosingAdditions } from './choosing-screen.ts';
import { button, headingWithText, note, title } from './shared-templates.ts';
import type { OptionsHandlers } from './screen-props.ts';

/** Placeholders with the shape of the screen that is being loaded, whose heading may be there. */
export const skeleton = (heading: unknown = html`<div class="skeleton line"></div>`): TemplateResult => html`
  ${heading}
  <div class="stack" aria-hidden="true">
    <div class="skeleton"></div>
    <div class="skeleton"></div>
    <div class="skeleton"></div>
  </div>
`;

/** A screen with a heading and placeholders, while an invoice is created. */
export const creatingScreen = (heading: string, text: string): TemplateResult =>
  skeleton(headingWithText(heading, text));

/** The screen of a state before there is an invoice. Other states show `pending`. */
export function optionsScreen(
  state: CheckoutState,
  on: OptionsHandlers,
  t: FirstFileTranslator,
  more: ChoosingAdditions | undefined,
  pending: TemplateResult,
): TemplateResult {
  const { m } = t;
  if (state.status === 'choosing' && state.checkout.options[0]) return choosingScreen(state, more, on, t);
  return state.status === 'creating' ? creatingScreen(m('creating.title'), m('creating.text')) : pending;
}

/** In place of a screen whose file has not come in time. */
export const lateNote = (status: CheckoutState['status'], { m }: FirstFileTranslator): TemplateResult =>
  html`${status === 'paid' ? title(m('paid.title')) : ''}${note(
    m('file-late.title'),
    m('file-late.text'),
    button(m('file-late.reload'), () => location.reload(), 'main'),
  )}`;
