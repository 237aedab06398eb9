/** The links of banks: an address for each name, with `{link}` or `{path}` where the payment's link belongs. */
export type BankLinks = Readonly<Record<string, string>>;

/** At most as many banks are shown. */
export const maxBankLinks = 6;

/**
 * An address of `https:` or of an app's own scheme with exactly one placeholder. The schemes that run a script, show what the address
 * itself holds, or load a page without TLS are none of an app.
 */
const templatePattern =
  /^(?!(?:javascript|vbscript|data|blob|file|filesystem|about|view-source|http|ws|ftp):)[a-z][a-z\d+.-]*:[^\s\\{}]*\{(?:link|path)\}[^\s\\{}]*$/i;

export const isBankLink = (template: unknown): template is string =>
  typeof template === 'string' && templatePattern.test(template);

/** The address at a bank of a payment's link: `{link}` is the encoded link, `{path}` what stands in it behind `https://`. */
export const bankLinkTo = (link: string, template: string): string =>
  template.replace(/\{(?:(link)|path)\}/, (_, isWhole?: string) =>
    isWhole ? encodeURIComponent(link) : link.replace(/^\w+:\/\//, ''),
  );
