import { html } from 'hono/html';
import type { PageFrame, Html, Shop } from './page-parts.ts';

/** The languages of the page by their own names. */
export const languages = { ru: 'Русский', en: 'English', kk: 'Қазақша' } as const;

interface Texts {
  /** The title of a link to the page, where a messenger shows it. */
  readonly title: string;
  readonly contact: string;
  readonly subject: (order: string) => string;
  readonly terms: string;
  readonly languages: string;
  /** Before the legal name, in the receipt. */
  readonly seller: string;
}

const texts = {
  ru: {
    title: 'Оплата заказа',
    contact: 'Связаться с магазином',
    subject: (order) => `Заказ ${order}`,
    terms: 'Условия',
    languages: 'Язык',
    seller: 'Продавец',
  },
  en: {
    title: 'Payment of an order',
    contact: 'Contact the shop',
    subject: (order) => `Order ${order}`,
    terms: 'Terms',
    languages: 'Language',
    seller: 'Seller',
  },
  kk: {
    title: 'Тапсырысты төлеу',
    contact: 'Дүкенмен байланысу',
    subject: (order) => `Тапсырыс ${order}`,
    terms: 'Шарттар',
    languages: 'Тіл',
    seller: 'Сатушы',
  },
} satisfies Record<keyof typeof languages, Texts>;

export const textsOf = ({ language }: { readonly language: string }): Texts =>
  Object.entries(texts).find(([tag]) => language.startsWith(tag))?.[1] ?? texts.en;

/** "Payment of an order · Leaf & Clay": without the amount, because whoever gets the link sees it. */
export const linkTitle = (shop: Shop, t: { readonly language: string }): string =>
  [textsOf(t).title, shop.name].filter(Boolean).join(' · ');

/** A number or an address is shown as it is, so that it can be written down, too. */
function contactLink(
  contact: string,
  t: { readonly language: string },
  order: string | null | undefined,
  slot: Html | string = '',
): Html {
  const { contact: name, subject } = textsOf(t);
  if (contact.startsWith('https:')) return html`<a${slot} href="${contact}" target="_blank" rel="noopener">${name}</a>`;
  const value = contact.replace(/^(?:tel|mailto):/, '');
  const address = contact.startsWith('tel:') ? `tel:${value.replace(/[^+\d]/g, '')}` : contact;
  const query = contact.startsWith('mailto:') && order ? `?subject=${encodeURIComponent(subject(order))}` : '';
  return html`<a${slot} href="${address}${query}"><bdi>${name}: <bdi translate="no">${value}</bdi></bdi></a>`;
}

/** The shop's contact, on a screen where a payer may need it; in a page with the widget, for its slot. */
export const supportLink = (
  { shop, t }: { readonly shop?: Shop | undefined; readonly t: { readonly language: string } },
  order?: string | null,
  slot?: Html | string,
): Html | string => (shop?.contact === undefined ? '' : contactLink(shop.contact, t, order, slot));

/**
 * Who sells, where the payer finds help and the terms; on the page of an order, whose number is `order`, also its languages. A receipt
 * (`hasReceipt`) says itself who sells; where the page becomes one, the style sheet hides it here.
 */
export function shopFooter(
  { shop, t }: Pick<PageFrame, 'shop' | 't'>,
  order?: string | null,
  hasReceipt = false,
): Html {
  const { name, url, contact, legal, termsUrl } = shop;
  const outside = (href: string, text: string): Html =>
    html`<a href="${href}" target="_blank" rel="noopener">${text}</a>`;
  const own = t.language.slice(0, 2);
  const choices = Object.entries(languages).map(([tag, text]) =>
    tag === own
      ? html`<span lang="${tag}" aria-current="true">${text}</span>`
      : html`<a href="?lang=${tag}" lang="${tag}">${text}</a>`,
  );
  return html`<footer>
    ${legal === undefined || hasReceipt ? '' : html`<p class="seller" translate="no">${legal}</p>`}
    <p>
      ${contact === undefined ? '' : contactLink(contact, t, order)}
      ${url === undefined ? '' : outside(url, name ?? new URL(url).host)}
      ${termsUrl === undefined ? '' : outside(termsUrl, textsOf(t).terms)}
    </p>
    ${order === undefined ? '' : html`<nav aria-label="${textsOf(t).languages}">${choices}</nav>`}
  </footer>`;
}
