import { parse } from 'acorn';
import { ownMembers } from './accepted-exceptions.ts';
import { compatibilityData, findFeature, findViolation, type NamedFeature, type Violation } from './engines.ts';

const apiFeatures: NamedFeature = ['api', compatibilityData.api];
const builtinFeatures: NamedFeature = [
  'javascript.builtins',
  findFeature(['javascript', compatibilityData.javascript], 'builtins')?.[1] ?? {},
];

type SyntaxNode = Readonly<Record<string, unknown>> & { readonly type: string };

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const identifierName = (node: unknown): string | undefined =>
  isNode(node) && node.type === 'Identifier' && typeof node['name'] === 'string' ? node['name'] : undefined;

/** Returns the child nodes, without the names of members and keys. */
function childNodes(node: SyntaxNode): readonly SyntaxNode[] {
  return Object.entries(node).flatMap(([key, value]) => {
    const isName = (key === 'property' || key === 'key') && node['computed'] !== true;
    return isName ? [] : [value].flat().filter(isNode);
  });
}

/** Collects the members of all objects by name, because the text of a script does not show to which object a member belongs. */
function createMembers(): ReadonlyMap<string, readonly NamedFeature[]> {
  const membersByName = new Map<string, NamedFeature[]>();
  for (const root of [builtinFeatures, apiFeatures])
    for (const owner of Object.keys(root[1]))
      for (const [name, feature] of Object.entries(findFeature(root, owner)?.[1] ?? {})) {
        if (name === '__compat' || name.endsWith('_static')) continue;
        membersByName.set(name, [...(membersByName.get(name) ?? []), [`${root[0]}.${owner}.${name}`, feature]]);
      }
  return membersByName;
}

const membersByName = createMembers();

/** Finds the features with the name of a global object, or of a member of it. */
function findGlobalFeatures(owner: string, member?: string): readonly (NamedFeature | undefined)[] {
  const names = member === undefined ? [] : [member];
  const features = [findFeature(builtinFeatures, owner, ...names), findFeature(apiFeatures, owner, ...names)];
  return [
    ...features,
    member === undefined
      ? findFeature(apiFeatures, 'Window', owner)
      : findFeature(apiFeatures, owner, `${member}_static`),
  ];
}

function findViolationsAt(node: SyntaxNode): readonly Violation[] {
  if (node.type === 'MemberExpression' && node['computed'] !== true) {
    const [owner, member = ''] = [identifierName(node['object']), identifierName(node['property'])];
    const globalMemberFeatures = owner === undefined ? [] : findGlobalFeatures(owner, member);
    return globalMemberFeatures.some((feature) => feature !== undefined)
      ? findViolation(globalMemberFeatures)
      : findViolation(ownMembers.includes(member) ? [] : (membersByName.get(member) ?? []));
  }
  const name = identifierName(node);
  return name === undefined ? [] : findViolation(findGlobalFeatures(name));
}

/**
 * Finds the globals, their members and the members of other objects in a script that an engine lacks. Throws a SyntaxError for
 * syntax newer than ES2022, which all engines support.
 */
export function scriptViolations(code: string): readonly Violation[] {
  const sourceType = /\bimport\(|\bexport\b|\bimport\b/.test(code) ? 'module' : 'script';
  const violationsByFeature = new Map<string, Violation>();
  const visit = (node: SyntaxNode): void => {
    for (const violation of findViolationsAt(node)) violationsByFeature.set(violation.feature, violation);
    childNodes(node).forEach(visit);
  };
  const program: unknown = parse(code, { ecmaVersion: 2022, sourceType });
  if (isNode(program)) visit(program);
  return [...violationsByFeature.values()];
}
