// A Vite plugin for the demo's pages: the English texts in the HTML, which the pages' scripts replace by the visitor's.
import type { Plugin } from 'vite';
import { isText, text } from '../../demo/page-texts.ts';

const escape = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
const english = (key: string): string => {
  if (!isText(key)) throw new Error(`the demo has no text ${key}`);
  return escape(text(key, {}, 'en'));
};

/** Fills the elements with `data-text`, and gives those with `data-label` their name. A page without its script can be read. */
export function textsInPages(): Plugin {
  return {
    name: 'texts-in-pages',
    transformIndexHtml: {
      order: 'pre',
      handler: (html) =>
        html
          .replace(/(<[^<>]* data-text="(\w+)"[^<>]*>)(?=<\/)/g, (_, tag: string, key: string) => tag + english(key))
          .replace(/ data-label="(\w+)"/g, (attribute, key: string) => `${attribute} aria-label="${english(key)}"`),
    },
  };
}
