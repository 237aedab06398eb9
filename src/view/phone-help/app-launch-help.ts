import { html, nothing, type TemplateResult } from 'lit';
import type { PaymentMessages } from '../../i18n.ts';
import { note } from '../screens/shared-templates.ts';
import { openInBrowserUrl } from './in-app-browser.ts';

export interface AppLaunchHelpOptions {
  /** The link that did nothing. */
  readonly link: string;
  /** The page's address. */
  readonly page: string;
  /** The address at which this checkout opens on another device. */
  readonly phoneUrl: string | undefined;
  /** A button that copies an address. */
  readonly copyButton: (text: string, address: string) => TemplateResult;
}

/** What to do where a link to a bank's app did nothing. */
export function appLaunchHelp(
  { link, page, phoneUrl, copyButton }: AppLaunchHelpOptions,
  m: PaymentMessages,
): TemplateResult {
  const browserUrl = openInBrowserUrl(page, phoneUrl);
  return note(
    m.stuck,
    m.stuckText,
    html`<bdi class="muted clamp">${link}</bdi>${copyButton(m.copyLink, link)}
      ${phoneUrl ? copyButton(m.copyPage, phoneUrl) : nothing}
      ${browserUrl ? html`<a href=${browserUrl}>${m.openBrowser}</a>` : nothing}`,
  );
}
