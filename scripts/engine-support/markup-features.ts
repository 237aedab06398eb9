import { compatibilityData, findFeature, findViolation, type NamedFeature, type Violation } from './engines.ts';

const elementFeatures: NamedFeature | undefined = findFeature(['html', compatibilityData.html], 'elements');
const globalAttributeFeatures: NamedFeature | undefined = findFeature(
  ['html', compatibilityData.html],
  'global_attributes',
);

/** Finds the elements and attributes in the templates of a script that an engine lacks. */
export function markupViolations(code: string): readonly Violation[] {
  const violationsByFeature = new Map<string, Violation>();
  for (const [, tag = '', attributes = ''] of code.matchAll(/<([a-z][a-z0-9]*)((?:\s[^<>`]*)?)>/g)) {
    const names = [...attributes.matchAll(/\s\??([a-z][a-z-]*)(?=[=\s]|$)/g)].map(([, name = '']) => name);
    const features = [
      [findFeature(elementFeatures, tag)],
      ...names.map((name) => [findFeature(elementFeatures, tag, name) ?? findFeature(globalAttributeFeatures, name)]),
    ];
    for (const violation of features.flatMap(findViolation)) violationsByFeature.set(violation.feature, violation);
  }
  return [...violationsByFeature.values()];
}
