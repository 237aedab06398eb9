import { z } from 'zod';
import { isBankLink, maxBankLinks } from '../../base/bank-links.ts';
import { maxNameLength, maxShopNameLength } from '../../base/text-limits.ts';
import { strictObject } from '../../server/domain/strict-object.ts';
import { hostOf, isLoopback, link } from '../environment/read-variables.ts';
import { accentPattern } from './accent.ts';
import type { Shop } from './page-parts.ts';

// What a shop may say of itself: the same for `createPayPage` and for the variables of the standalone server.

const shortText = (most: number) => z.string().max(most, `must have at most ${most} characters`).optional();

export const hasNoUser = (text: string): boolean => !/^\w+:\/\/[^/]*@/.test(text);

/** An address that every payer sees: `https:`, or `http:` on this machine. */
const shopLink = (error: string) =>
  link(error)
    .refine((text) => text.startsWith('https:') || isLoopback(hostOf(text)), error)
    .refine(hasNoUser, 'must have no user');

/** A picture that every payer's browser loads: an address like that of the shop, or a path of the same site. */
function picture(error: string) {
  const address = shopLink(error);
  return z.string().transform((text, context) => {
    if (/^\/(?!\/)[\x21-\x7e]*$/.test(text)) return text;
    const { data } = address.safeParse(text);
    if (data === undefined) context.addIssue(error);
    return data ?? z.NEVER;
  });
}

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

export const methodLogosRule =
  'must be a list such as SBP=https://shop.example/sbp.svg,CARD=https://shop.example/card.svg';

export const bankLinksRule = `must be a list of at most ${maxBankLinks} such as Bank=https://bank.example/pay?link={link},Other=otherbank://{path}`;

/** A telephone number, a mail address or a page. */
const contactPattern = /^(?:tel:\+?[\d() -]{3,30}|mailto:[^\s?@]+@[^\s?@]+|https:\/\/[^\s@]+)$/;

export const shopSchema = strictObject({
  name: shortText(maxShopNameLength),
  logoUrl: picture('must be an https: address of a picture').optional(),
  url: shopLink('must be an https: address of the shop').optional(),
  contact: z
    .string()
    .regex(contactPattern, 'must be tel:+78005553535, mailto:help@shop.example or an https: address')
    .optional(),
  legal: shortText(maxNameLength),
  termsUrl: shopLink('must be an https: address of the terms').optional(),
  timeZone: z.string().refine(isTimeZone, 'must be a time zone such as Europe/Moscow').optional(),
  methodLogos: z
    .record(z.string().regex(/^\w+$/, methodLogosRule), picture(methodLogosRule))
    .transform((logos) => Object.fromEntries(Object.entries(logos).map(([type, url]) => [type.toUpperCase(), url])))
    .optional(),
  bankLinks: z
    .record(
      z.string().min(1, bankLinksRule).max(maxShopNameLength, bankLinksRule),
      z.string().refine(isBankLink, bankLinksRule),
    )
    .refine((banks) => Object.keys(banks).length <= maxBankLinks, bankLinksRule)
    .optional(),
} satisfies Record<keyof Shop, z.ZodType>);

/** The shop's colour. */
export const accentSchema = z.string().regex(accentPattern, 'must be a colour such as #3451d1').optional();
