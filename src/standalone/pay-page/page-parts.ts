import { html, raw } from 'hono/html';
import type { BankLinks } from '../../base/bank-links.ts';
import type { Checkout } from '../../checkout-api.ts';
import type { MomentStyle, Translator } from '../../i18n.ts';
import { isForeign } from '../../view/screens/method-texts.ts';

export type Html = ReturnType<typeof html>;

/** The shop as payers see it. */
export interface Shop {
  readonly name?: string | undefined;
  /** The address of its logo: `https:`, or a path of the same site. */
  readonly logoUrl?: string | undefined;
  /** Its own site. */
  readonly url?: string | undefined;
  /** Where payers get help: `tel:`, `mailto:` or `https:`. */
  readonly contact?: string | undefined;
  /** Who sells, as the law asks: the legal name, numbers, an address. */
  readonly legal?: string | undefined;
  /** The address of the terms of sale. */
  readonly termsUrl?: string | undefined;
  /** The time zone of times, such as `Europe/Moscow`, where no script knows that of the payer. */
  readonly timeZone?: string | undefined;
  /** The addresses of the methods' logos by type in upper case, such as `{ SBP: 'https://shop.example/sbp.svg' }`. */
  readonly methodLogos?: Readonly<Record<string, string>> | undefined;
  /** The links of banks by name, at most six, for phones: see the element’s `bankLinks`. */
  readonly bankLinks?: BankLinks | undefined;
}

/** What every page has. */
export interface PageFrame {
  readonly shop: Shop;
  /** The style sheet. */
  readonly style: string;
  /** The page's own script: what it tells the page around it, and texts for the widget. */
  readonly script?: string | undefined;
  /** The address of the picture that a messenger shows beside a link to the page. */
  readonly previewUrl: string;
  readonly t: Translator;
}

/** What the markup of a checkout shows. */
export interface CheckoutView {
  readonly t: Translator;
  /** As the checkout API gave it, for the widget. */
  readonly initial: Checkout;
  /** The same after it was checked, for the markup without script. */
  readonly checkout: Checkout;
  /** The level of the heading with the amount; those below it follow. */
  readonly headingLevel: number;
  /** Whether the payer asks for the methods though there is an invoice. */
  readonly isChoosing: boolean;
  /** Whether the payment was checked just now, because the payer asked for it. */
  readonly isChecked: boolean;
  /** Why the last request for an invoice was refused. */
  readonly problem: string | undefined;
  /** What the payer had typed and chosen in that request; empty where nothing is known. */
  readonly typedAmount: string;
  readonly methodId: string;
  /** A new Idempotency-Key. */
  readonly key: string;
  /** The public path of the pay page, without a query. */
  readonly path: string;
  /** On the pay page, the address of the frame that follows its status; what the page shows (`shownState`) belongs behind it. */
  readonly statusUrl?: string | undefined;
  /** The shop, on its pay page. */
  readonly shop?: Shop | undefined;
}

/** The page of a checkout. */
export interface CheckoutPage extends PageFrame, CheckoutView {
  readonly shop: Shop;
  /** The page's public address, for its QR code; undefined: it has none. */
  readonly url: string | undefined;
  /** The capability in the address, and the paths of the checkout API and of the widget. */
  readonly capability: string;
  readonly endpoint: string;
  readonly widget: string;
}

/** A time in the shop's zone, which it names: without script nobody knows the payer's. */
export function shopTime(
  time: string,
  style: MomentStyle,
  { shop, t }: Pick<CheckoutView, 'shop' | 't'>,
): string | undefined {
  const zone = shop?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const text = t.moment(time, style, zone);
  return zone === 'Europe/Moscow' && /^ru\b/.test(t.language) ? text?.replace('GMT+3', 'МСК') : text;
}

const icons = {
  paid: 'M5 12.5l5 5 9-11',
  failed: 'M6 6l12 12M18 6L6 18',
  expired: 'M12 3a9 9 0 1 0 .01 0M12 7v5l3 3',
  note: 'M12 6v8M12 18v.01',
} as const;

export const mark = (kind: keyof typeof icons): Html =>
  html`<svg class="mark ${kind}" viewBox="0 0 24 24" aria-hidden="true"><path d="${icons[kind]}" /></svg>`;

/** A text of the shop or of the service, with its language where that is not the language of the page. */
export const foreignText = (text: string, t: Translator): Html =>
  isForeign(text, t) ? html`<bdi lang="ru">${text}</bdi>` : html`<bdi>${text}</bdi>`;

/** What the payer copies or compares: no translation of the page changes it, and it turns around no other text. */
export const exact = (value: unknown): Html => html`<bdi translate="no">${value}</bdi>`;

/** A value with its label, in a list of them. */
export const fact = (label: string, value: unknown, hint = ''): Html =>
  html`<div>
    <dt>${label}</dt>
    <dd>${value}${hint === '' ? '' : html`<small>${hint}</small>`}</dd>
  </div>`;

/** A sentence with an exact amount. `sentence` makes it of what stands for the amount. */
export function withExact(sentence: (amount: string) => string, amount: string): Html {
  const [before = '', after = ''] = sentence('\0').split('\0');
  return html`${before}${exact(amount)}${after}`;
}

/** The heading with the amount, or that of the screen below it. */
export function heading({ headingLevel }: CheckoutView, name: 'amount' | 'title', content: unknown): Html {
  const tag = `h${name === 'amount' ? headingLevel : headingLevel + 1}`;
  return html`${raw(`<${tag} class="${name}">`)}${content}${raw(`</${tag}>`)}`;
}

export const checkLink = ({ path, t }: CheckoutView, kind = ''): Html =>
  html`<a class="${kind}" href="${path}?check=1">${t.m('check.button')}</a>`;

/** The page has no names of methods of its own. */
export const noOwnNames = { methodName: () => undefined };

/** The class of a method's picture. It is a background, because an image that cannot be loaded would leave a mark. */
export const logoClass = (type: string): string => `logo-${type.toLowerCase()}`;

/** The shop's own picture of a type of method, beside its name; for the widget with its slot. */
export const methodLogo = (
  { shop }: Pick<CheckoutView, 'shop'>,
  type: string,
  slot: Html | string = '',
): Html | string =>
  shop?.methodLogos?.[type.toUpperCase()] === undefined ? '' : html`<i class="${logoClass(type)}" ${slot}></i>`;
