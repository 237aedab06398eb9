/**
 * A text as it may be printed on a terminal: what would act on the terminal, reorder the line, or not be seen is written as in
 * JSON (`\u009b`), so that JSON stays the same JSON. Line breaks and tabs stay.
 */
export function printable(text: string): string {
  return text.replace(/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (sign) =>
    Array.from({ length: sign.length }, (_, index) => {
      return `\\u${sign.charCodeAt(index).toString(16).padStart(4, '0')}`;
    }).join(''),
  );
}
