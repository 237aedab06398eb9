import { parse } from 'acorn';
import { ownMembers } from './accepted-exceptions.ts';
import { data, find, violationOf, type NamedFeature, type Violation } from './engines.ts';

const api: NamedFeature = ['api', data.api];
const builtins: NamedFeature = ['javascript.builtins', find(['javascript', data.javascript], 'builtins')?.[1] ?? {}];

type SyntaxNode = Readonly<Record<string, unknown>> & { readonly type: string };

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const nameOf = (node: unknown): string | undefined =>
  isNode(node) && node.type === 'Identifier' && typeof node['name'] === 'string' ? node['name'] : undefined;

/** The children of a node that are expressions or statements of their own: not the names of members, keys and labels. */
function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  return Object.entries(node).flatMap(([key, value]) => {
    const isName = (key === 'property' || key === 'key') && node['computed'] !== true;
    return isName ? [] : [value].flat().filter(isNode);
  });
}

/** Every member of every object, by its name: which object a script means cannot be seen in its text. */
function createMembers(): ReadonlyMap<string, readonly NamedFeature[]> {
  const members = new Map<string, NamedFeature[]>();
  for (const root of [builtins, api])
    for (const owner of Object.keys(root[1]))
      for (const [name, feature] of Object.entries(find(root, owner)?.[1] ?? {})) {
        if (name === '__compat' || name.endsWith('_static')) continue;
        members.set(name, [...(members.get(name) ?? []), [`${root[0]}.${owner}.${name}`, feature]]);
      }
  return members;
}

const members = createMembers();

/** A global, or a member of one. */
function globalFeatures(owner: string, member?: string): readonly (NamedFeature | undefined)[] {
  const names = member === undefined ? [] : [member];
  const found = [find(builtins, owner, ...names), find(api, owner, ...names)];
  return [...found, member === undefined ? find(api, 'Window', owner) : find(api, owner, `${member}_static`)];
}

function violationsAt(node: SyntaxNode): readonly Violation[] {
  if (node.type === 'MemberExpression' && node['computed'] !== true) {
    const [owner, member = ''] = [nameOf(node['object']), nameOf(node['property'])];
    const ofGlobal = owner === undefined ? [] : globalFeatures(owner, member);
    return ofGlobal.some((feature) => feature !== undefined)
      ? violationOf(ofGlobal)
      : violationOf(ownMembers.includes(member) ? [] : (members.get(member) ?? []));
  }
  const name = nameOf(node);
  return name === undefined ? [] : violationOf(globalFeatures(name));
}

/**
 * What a script uses and an engine does not have: globals, their members, and members of any object that no object of the
 * engines has. Throws a SyntaxError for syntax that is newer than ES2022, which all of the engines have.
 */
export function scriptViolations(code: string): readonly Violation[] {
  const sourceType = /\bimport\(|\bexport\b|\bimport\b/.test(code) ? 'module' : 'script';
  const found = new Map<string, Violation>();
  const visit = (node: SyntaxNode): void => {
    for (const violation of violationsAt(node)) found.set(violation.feature, violation);
    childrenOf(node).forEach(visit);
  };
  const program: unknown = parse(code, { ecmaVersion: 2022, sourceType });
  if (isNode(program)) visit(program);
  return [...found.values()];
}
