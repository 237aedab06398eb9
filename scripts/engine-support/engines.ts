import { readFileSync } from 'node:fs';

/** Since when an engine has a feature, as MDN writes it. */
interface SupportStatement {
  readonly version_added: string | boolean | null;
  readonly version_removed?: string | boolean | null;
  readonly flags?: readonly unknown[];
  readonly prefix?: string;
  readonly alternative_name?: string;
}

/** What the data says of a feature itself. */
interface Compat {
  readonly support: Readonly<Record<string, SupportStatement | readonly SupportStatement[]>>;
}

/** A feature with its parts. What the data says of the feature itself is in its member `__compat`. */
export interface Feature {
  readonly [part: string]: Feature;
}

/** The oldest engines that the README names. */
export const engines = {
  chrome: '105',
  edge: '105',
  webview_android: '105',
  safari: '16.4',
  safari_ios: '16.4',
  firefox: '115',
} as const;

/** The compatibility data of MDN. */
export const data = JSON.parse(
  readFileSync(new URL(import.meta.resolve('@mdn/browser-compat-data')), 'utf8'),
) as Readonly<Record<'api' | 'css' | 'html' | 'javascript', Feature>>;

/** Something that a file uses and that one of the engines does not have. */
export interface Violation {
  /** The path in the compatibility data, such as `css.properties.text-wrap.balance`. */
  readonly feature: string;
  /** The engines that do not have it, with the version from which they do. */
  readonly missing: readonly string[];
}

/** A feature, and its path in the compatibility data. */
export type NamedFeature = readonly [path: string, feature: Feature];

function isNewer(one: string, other: string): boolean {
  const [a = 0, b = 0] = one.replace('≤', '').split('.').map(Number);
  const [c = 0, d = 0] = other.split('.').map(Number);
  return a === c ? b > d : a > c;
}

/** Whether a statement says that a version has the feature, under its own name and without a setting of the browser. */
function holdsFor(statement: SupportStatement, version: string): boolean {
  const { version_added: added, version_removed: removed, flags, prefix, alternative_name: otherName } = statement;
  if (typeof added !== 'string' || added === 'preview' || flags || prefix !== undefined || otherName !== undefined)
    return false;
  return !isNewer(added, version) && (typeof removed !== 'string' || isNewer(removed, version));
}

/** The engines that do not have a feature; none where the data does not say. */
function missingEngines(feature: Feature): readonly string[] {
  const compat = feature['__compat'] as Compat | undefined;
  if (compat === undefined) return [];
  return Object.entries(engines).flatMap(([name, version]) => {
    const support = compat.support[name];
    if (support === undefined) return [];
    const statements = [support].flat();
    if (statements.some((statement) => holdsFor(statement, version))) return [];
    return `${name} ${version} (since ${String(statements[0]?.version_added)})`;
  });
}

/** The feature at a path below another one. */
export function find(root: NamedFeature | undefined, ...names: readonly string[]): NamedFeature | undefined {
  return names.reduce<NamedFeature | undefined>((found, name) => {
    if (found === undefined || !Object.hasOwn(found[1], name)) return undefined;
    const next = found[1][name];
    return next && [`${found[0]}.${name}`, next];
  }, root);
}

/** The violation of using one of several features that have the same name: only where no engine-wide one is among them. */
export function violationOf(features: readonly (NamedFeature | undefined)[]): readonly Violation[] {
  const known = features.filter((feature) => feature !== undefined);
  const checked = known.map(([feature, entry]) => ({ feature, missing: missingEngines(entry) }));
  const [first] = checked;
  return first === undefined || checked.some(({ missing }) => missing.length === 0) ? [] : [first];
}
