import { html, type TemplateResult } from 'lit';
import type { CreatingState, LoadingState } from '../../core.ts';
import type { Texts } from '../../i18n.ts';
import type { Handlers } from '../handlers.ts';
import { button, lead, statement } from './notice.ts';

/** The shape of what is coming. */
export const skeleton = (): TemplateResult => html`
  <div class="stack" aria-hidden="true">
    <div class="skeleton"></div>
    <div class="skeleton"></div>
    <div class="skeleton"></div>
  </div>
`;

/** No answer yet; once a read has failed, that it has and that it goes on. */
export function loadingScreen({ connection }: LoadingState, on: Handlers, { m }: Texts): TemplateResult {
  return connection.failures === 0
    ? skeleton()
    : statement('lost', '', m.offline, m.offlineText, button(m.again, on.refresh));
}

/** There is nothing to pay at this address. */
export const lostScreen = ({ m }: Texts): TemplateResult => statement('lost', '', m.lost, m.lostText, '');

/** Requisites were asked for; perhaps the answer is not known yet. */
export function creatingScreen({ inDoubt: unknown }: CreatingState, { m }: Texts): TemplateResult {
  const about = unknown ? lead(m.unknown, m.unknownText) : lead(m.creating, m.creatingText);
  return html`<div>${about}</div>
    ${skeleton()}`;
}
