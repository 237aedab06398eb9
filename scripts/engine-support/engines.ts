import { readFileSync } from 'node:fs';

/** The versions of an engine that have a feature, in the format of MDN's data. */
interface SupportStatement {
  readonly version_added: string | boolean | null;
  readonly version_removed?: string | boolean | null;
  readonly flags?: readonly unknown[];
  readonly prefix?: string;
  readonly alternative_name?: string;
}

/** The support of a feature by the engines. */
interface Compat {
  readonly support: Readonly<Record<string, SupportStatement | readonly SupportStatement[]>>;
}

/** A feature with its parts. The member `__compat` has the support of the feature itself. */
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
export const compatibilityData = JSON.parse(
  readFileSync(new URL(import.meta.resolve('@mdn/browser-compat-data')), 'utf8'),
) as Readonly<Record<'api' | 'css' | 'html' | 'javascript', Feature>>;

/** A feature that a file uses and that one of the engines lacks. */
export interface Violation {
  /** The path in the compatibility data, such as `css.properties.text-wrap.balance`. */
  readonly feature: string;
  /** The engines that lack the feature, with the version that introduced it. */
  readonly missing: readonly string[];
}

/** A feature, and its path in the compatibility data. */
export type NamedFeature = readonly [path: string, feature: Feature];

function isNewer(version: string, otherVersion: string): boolean {
  const [major = 0, minor = 0] = version.replace('≤', '').split('.').map(Number);
  const [otherMajor = 0, otherMinor = 0] = otherVersion.split('.').map(Number);
  return major === otherMajor ? minor > otherMinor : major > otherMajor;
}

/** Whether a version has the feature under its standard name and without a browser setting. */
function isSupportedIn(statement: SupportStatement, version: string): boolean {
  const {
    version_added: versionAdded,
    version_removed: versionRemoved,
    flags,
    prefix,
    alternative_name: alternativeName,
  } = statement;
  if (
    typeof versionAdded !== 'string' ||
    versionAdded === 'preview' ||
    flags ||
    prefix !== undefined ||
    alternativeName !== undefined
  )
    return false;
  return !isNewer(versionAdded, version) && (typeof versionRemoved !== 'string' || isNewer(versionRemoved, version));
}

/** Returns the engines that lack a feature; none when the data has no information. */
function missingEngines(feature: Feature): readonly string[] {
  const compatData = feature['__compat'] as Compat | undefined;
  if (compatData === undefined) return [];
  return Object.entries(engines).flatMap(([name, version]) => {
    const support = compatData.support[name];
    if (support === undefined) return [];
    const statements = [support].flat();
    if (statements.some((statement) => isSupportedIn(statement, version))) return [];
    return `${name} ${version} (since ${String(statements[0]?.version_added)})`;
  });
}

/** Returns the feature at a path below a root feature; undefined when the data does not have it. */
export function findFeature(root: NamedFeature | undefined, ...names: readonly string[]): NamedFeature | undefined {
  return names.reduce<NamedFeature | undefined>((parentFeature, name) => {
    if (parentFeature === undefined || !Object.hasOwn(parentFeature[1], name)) return undefined;
    const childFeature = parentFeature[1][name];
    return childFeature && [`${parentFeature[0]}.${name}`, childFeature];
  }, root);
}

/** Returns the violation of using a name that several features have. There is none when all engines have one of them. */
export function findViolation(features: readonly (NamedFeature | undefined)[]): readonly Violation[] {
  const namedFeatures = features.filter((feature) => feature !== undefined);
  const checkedFeatures = namedFeatures.map(([feature, entry]) => ({ feature, missing: missingEngines(entry) }));
  const [firstFeature] = checkedFeatures;
  return firstFeature === undefined || checkedFeatures.some(({ missing }) => missing.length === 0)
    ? []
    : [firstFeature];
}
