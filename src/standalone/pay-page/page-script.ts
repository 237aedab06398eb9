import type { BankLinks } from '../../base/bank-links.ts';
import { scriptJson } from './checkout-markup.ts';
import { frameScript } from './frame-script.ts';
import { universalQrScript } from './universal-qr-texts.ts';

/** What of the shop's settings the page's own script tells the page around it and the widget in it. */
export interface PageScriptOptions {
  /** The origins whose pages may show the page in a frame. */
  readonly frameAncestors: readonly string[];
  readonly universalQr: boolean;
  readonly bankLinks: BankLinks | undefined;
}

/** The page's own script; undefined where it has nothing to say. */
export function pageScript({ frameAncestors, universalQr, bankLinks }: PageScriptOptions): string | undefined {
  const parts = [
    frameAncestors.length === 0 ? '' : frameScript(frameAncestors),
    universalQr ? universalQrScript : '',
    bankLinks === undefined
      ? ''
      : `Object.assign(document.querySelector('pay-invoice')??{},{bankLinks:${scriptJson(bankLinks)}});`,
  ];
  return parts.join('') || undefined;
}
