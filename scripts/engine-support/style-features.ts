import { AtRule, Declaration, parse, type Node } from 'postcss';
import { data, find, violationOf, type NamedFeature, type Violation } from './engines.ts';

const css: NamedFeature = ['css', data.css];

/** The units whose features have other names in the data. */
const units: readonly (readonly [unit: RegExp, feature: string])[] = [
  [/\d[dsl]v(?:h|w|i|b|min|max)\b/, 'viewport_percentage_units_dynamic'],
  [/\dcq(?:w|h|i|b|min|max)\b/, 'container_query_length_units'],
];

/** Functions by their names, wherever the data has them. */
function createFunctions(): ReadonlyMap<string, readonly NamedFeature[]> {
  const functions = new Map<string, NamedFeature[]>();
  const visit = ([path, feature]: NamedFeature): void => {
    for (const [name, entry] of Object.entries(feature)) {
      if (name === '__compat') continue;
      const named: NamedFeature = [`${path}.${name}`, entry];
      functions.set(name, [...(functions.get(name) ?? []), named]);
      visit(named);
    }
  };
  const types = find(css, 'types');
  if (types) visit(types);
  return functions;
}

const functions = createFunctions();

/** A value without what stands in quotes. */
const bare = (value: string): string => value.replace(/(["']).*?\1/g, '');

function valueViolations(property: string, value: string): readonly Violation[] {
  const text = bare(value);
  const called = [...text.matchAll(/([a-z][\w-]*)\(/gi)].map(([, name = '']) => functions.get(name) ?? []);
  const ofUnits = units.filter(([unit]) => unit.test(text)).map(([, name]) => [find(css, 'types', 'length', name)]);
  const words = property.startsWith('--') ? [] : text.split(/[\s,()]+/);
  const keywords = words.map((word) => [find(css, 'properties', property, word)]);
  return [...called, ...ofUnits, ...keywords].flatMap(violationOf);
}

const declarationViolations = ({ prop, value }: Declaration): readonly Violation[] => [
  ...violationOf([find(css, 'properties', prop)]),
  ...valueViolations(prop, value),
];

/** Whether an engine that drops a declaration has another value for the property, or does not read the rule at all. */
function hasFallback(declaration: Declaration): boolean {
  const { parent } = declaration;
  const earlier = (parent?.nodes ?? []).slice(0, parent?.index(declaration));
  const isOther = (node: Node): boolean =>
    node instanceof Declaration && node.prop === declaration.prop && declarationViolations(node).length === 0;
  if (earlier.some(isOther)) return true;
  for (let node: Node | undefined = parent; node; node = node.parent)
    if (node instanceof AtRule && node.name === 'supports' && !/\bnot\b/.test(node.params)) return true;
  return false;
}

/** What a style sheet uses and an engine does not have, unless the rule says what such an engine shows instead. */
export function styleViolations(text: string): readonly Violation[] {
  const found = new Map<string, Violation>();
  const add = (violations: readonly Violation[]): void => {
    for (const violation of violations) found.set(violation.feature, violation);
  };
  const root = parse(text);
  root.walkDecls((declaration) => {
    if (!hasFallback(declaration)) add(declarationViolations(declaration));
  });
  root.walkAtRules(({ name, params }) => {
    add(violationOf([find(css, 'at-rules', name)]));
    for (const [, feature = ''] of params.matchAll(/\(([a-z-]+)/g))
      add(violationOf([find(css, 'at-rules', name, feature)]));
  });
  root.walkRules((rule) => {
    if (rule.parent?.type === 'rule') add(violationOf([find(css, 'selectors', 'nesting')]));
    for (const [, name = ''] of bare(rule.selector).matchAll(/::?([a-z-]+)/g))
      add(violationOf([find(css, 'selectors', name)]));
  });
  return [...found.values()];
}
