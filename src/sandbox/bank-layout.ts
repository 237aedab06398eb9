import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { texts, type Language } from './bank-texts.ts';

/** A piece of a page; whatever was put into it is escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** The frame of every page of the bank. */
export function layout(page: {
  readonly title: string;
  readonly path: string;
  readonly language: Language;
  readonly main: Html;
}): Html {
  const t = texts[page.language];
  const other = page.language === 'ru' ? 'en' : 'ru';
  return html`<!doctype html>
    <html lang="${page.language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${page.title} · ${t.bank}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/bank.css" />
      </head>
      <body>
        <header>
          <p class="brand">${mark()} ${t.bank} <strong class="test">${t.test}</strong></p>
          <a class="language" href="${page.path}?lang=${other}" lang="${other}" hreflang="${other}"
            >${t.otherLanguage}</a
          >
        </header>
        <main>${page.main}</main>
        <footer>${t.testNote}</footer>
      </body>
    </html>`;
}

/** The bank's sign: a turned-out sand castle. */
function mark(): Html {
  return html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="10" />
    <path d="M7 23V11h3v3h4v-3h4v3h4v-3h3v12h-6v-3a3 3 0 0 0-6 0v3z" />
  </svg>`;
}
