import { AtRule, Declaration, parse, type Node } from 'postcss';
import { compatibilityData, findFeature, findViolation, type NamedFeature, type Violation } from './engines.ts';

const cssFeatures: NamedFeature = ['css', compatibilityData.css];

/** Units whose names differ from the names of their features in the data. */
const units: readonly (readonly [unit: RegExp, feature: string])[] = [
  [/\d[dsl]v(?:h|w|i|b|min|max)\b/, 'viewport_percentage_units_dynamic'],
  [/\dcq(?:w|h|i|b|min|max)\b/, 'container_query_length_units'],
];

/** Collects the CSS functions of the data by their names. */
function createFunctions(): ReadonlyMap<string, readonly NamedFeature[]> {
  const functions = new Map<string, NamedFeature[]>();
  const visit = ([path, feature]: NamedFeature): void => {
    for (const [name, entry] of Object.entries(feature)) {
      if (name === '__compat') continue;
      const namedFeature: NamedFeature = [`${path}.${name}`, entry];
      functions.set(name, [...(functions.get(name) ?? []), namedFeature]);
      visit(namedFeature);
    }
  };
  const types = findFeature(cssFeatures, 'types');
  if (types) visit(types);
  return functions;
}

const functions = createFunctions();

/** Returns a value without its quoted text. */
const removeQuotedText = (value: string): string => value.replace(/(["']).*?\1/g, '');

function valueViolations(property: string, value: string): readonly Violation[] {
  const text = removeQuotedText(value);
  const calledFunctions = [...text.matchAll(/([a-z][\w-]*)\(/gi)].map(([, name = '']) => functions.get(name) ?? []);
  const unitFeatures = units
    .filter(([unit]) => unit.test(text))
    .map(([, name]) => [findFeature(cssFeatures, 'types', 'length', name)]);
  const words = property.startsWith('--') ? [] : text.split(/[\s,()]+/);
  const keywords = words.map((word) => [findFeature(cssFeatures, 'properties', property, word)]);
  return [...calledFunctions, ...unitFeatures, ...keywords].flatMap(findViolation);
}

const declarationViolations = ({ prop, value }: Declaration): readonly Violation[] => [
  ...findViolation([findFeature(cssFeatures, 'properties', prop)]),
  ...valueViolations(prop, value),
];

/** Whether an earlier declaration of the property works in all engines, or the rule is inside `@supports`. */
function hasFallback(declaration: Declaration): boolean {
  const { parent } = declaration;
  const earlierNodes = (parent?.nodes ?? []).slice(0, parent?.index(declaration));
  const isFallback = (node: Node): boolean =>
    node instanceof Declaration && node.prop === declaration.prop && declarationViolations(node).length === 0;
  if (earlierNodes.some(isFallback)) return true;
  for (let node: Node | undefined = parent; node; node = node.parent)
    if (node instanceof AtRule && node.name === 'supports' && !/\bnot\b/.test(node.params)) return true;
  return false;
}

/** Finds the features of a style sheet that an engine lacks, except declarations that have a fallback. */
export function styleViolations(text: string): readonly Violation[] {
  const violationsByFeature = new Map<string, Violation>();
  const addViolations = (violations: readonly Violation[]): void => {
    for (const violation of violations) violationsByFeature.set(violation.feature, violation);
  };
  const root = parse(text);
  root.walkDecls((declaration) => {
    if (!hasFallback(declaration)) addViolations(declarationViolations(declaration));
  });
  root.walkAtRules(({ name, params }) => {
    addViolations(findViolation([findFeature(cssFeatures, 'at-rules', name)]));
    for (const [, feature = ''] of params.matchAll(/\(([a-z-]+)/g))
      addViolations(findViolation([findFeature(cssFeatures, 'at-rules', name, feature)]));
  });
  root.walkRules((rule) => {
    if (rule.parent?.type === 'rule') addViolations(findViolation([findFeature(cssFeatures, 'selectors', 'nesting')]));
    for (const [, name = ''] of removeQuotedText(rule.selector).matchAll(/::?([a-z-]+)/g))
      addViolations(findViolation([findFeature(cssFeatures, 'selectors', name)]));
  });
  return [...violationsByFeature.values()];
}
