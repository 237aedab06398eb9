import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/** The files of the package's entries, by the name that is imported. */
const fileOf: Readonly<Record<string, string>> = { 'checkout-api': 'checkout-schemas', core: 'headless' };
const names = resolve('test/docs/example-names.ts');
const declared = [...readFileSync(names, 'utf8').matchAll(/^export (?:declare )?const (\w+)/gm)].map(
  ([, name]) => name ?? '',
);

/** The example as a module of this project: the package is its source, and the names that it does not declare are imported. */
export function createModule(code: string): string {
  const missing = declared.filter(
    (name) =>
      new RegExp(`(?<![.\\w'"/-])${name}\\b(?!\\s*:|['"/-])`).test(code) &&
      !new RegExp(`const (?:\\{ )?${name}\\b`).test(code),
  );
  const codeWithSources = code.replaceAll(
    /'pay-invoice(?:\/([\w-]+))?'/g,
    (_, entry = 'pay-invoice') => `'${resolve('src', `${fileOf[String(entry)] ?? String(entry)}.ts`)}'`,
  );
  const importLine = missing.length === 0 ? '' : `import { ${missing.join(', ')} } from '${names}';\n`;
  return `${importLine}${codeWithSources}\nexport {};\n`;
}
