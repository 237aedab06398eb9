import { data, find, violationOf, type NamedFeature, type Violation } from './engines.ts';

const elements: NamedFeature | undefined = find(['html', data.html], 'elements');
const globalAttributes: NamedFeature | undefined = find(['html', data.html], 'global_attributes');

/** The elements and attributes in the templates of a script that an engine does not have. */
export function markupViolations(code: string): readonly Violation[] {
  const found = new Map<string, Violation>();
  for (const [, tag = '', attributes = ''] of code.matchAll(/<([a-z][a-z0-9]*)((?:\s[^<>`]*)?)>/g)) {
    const names = [...attributes.matchAll(/\s\??([a-z][a-z-]*)(?=[=\s]|$)/g)].map(([, name = '']) => name);
    const features = [
      [find(elements, tag)],
      ...names.map((name) => [find(elements, tag, name) ?? find(globalAttributes, name)]),
    ];
    for (const violation of features.flatMap(violationOf)) found.set(violation.feature, violation);
  }
  return [...found.values()];
}
