/** One step of a test run: a command and the steps that have to succeed before it. */
export interface Step {
  readonly name: string;
  /** A shell command. */
  readonly command: string;
  /** Names of steps that have to succeed first. */
  readonly needs?: readonly string[];
  /** Additional environment variables of the command. */
  readonly env?: Readonly<Record<string, string>>;
  /** Programs that the step needs; the step is skipped when one of them is missing. */
  readonly programs?: readonly Program[];
  /** Runs alone: other steps would falsify what it measures. */
  readonly isExclusive?: true;
}

export type Program = 'firefox' | 'webkit' | 'postgresql';

/** The Debian packages of the programs that `npm ci` does not install. */
export const debianPackages: Readonly<Record<Program, string>> = {
  firefox: 'firefox-esr',
  webkit: 'webkit2gtk-driver xvfb',
  postgresql: 'postgresql',
};

const purchaseTest = 'test/e2e/purchase.test.ts';
const kindsOfPages = 'test/host-pages/kinds-of-pages.test.ts';
const nodeTests = 'tsx scripts/test-node.ts';
/** Installs the packages that only the tests of a folder need. */
const installIn = (folder: string): string => `npm ci --prefix ${folder} --ignore-scripts --no-audit --no-fund`;

/** `npm test`: needs Node and what `npm ci` installed. The longest steps come first. */
export const quickSteps: readonly Step[] = [
  { name: 'build', command: 'npm run build' },
  { name: 'node tests', command: nodeTests, env: { TEST_DATABASES: 'embedded' } },
  { name: 'components in Chromium', command: 'wtr', env: { WTR_BROWSERS: 'chromium' }, needs: ['build'] },
  { name: 'lint and types', command: 'npm run lint' },
  {
    name: 'purchases',
    command: `${nodeTests} --quick ${purchaseTest} ${kindsOfPages} test/server-example`,
    needs: ['build'],
  },
  { name: 'work budgets', command: `${nodeTests} test/budgets`, needs: ['build'] },
  { name: 'format', command: 'npm run format:check' },
  { name: 'unused code', command: 'npm run lint:unused' },
  { name: 'size', command: 'npm run size', needs: ['build'] },
];

/** `npm run test:all`: the steps that `npm test` does not run, so that both commands together run each test once. */
export const remainingSteps: readonly Step[] = [
  { name: 'build if stale', command: 'tsx scripts/build-if-stale.ts' },
  { name: 'end to end', command: `${nodeTests} --except ${purchaseTest} test/e2e`, needs: ['build if stale'] },
  {
    name: 'pages that are not made for it',
    command: `${installIn('test/host-pages')} && ${nodeTests} --except ${kindsOfPages} test/host-pages`,
    needs: ['build if stale'],
  },
  {
    name: 'served pages',
    command: `${installIn('test/served-pages')} && ${nodeTests} test/served-pages`,
    needs: ['build if stale'],
  },
  {
    name: 'bundlers',
    command: `${installIn('test/bundlers')} && ${nodeTests} test/bundlers`,
    needs: ['build if stale'],
  },
  { name: 'mutation check', command: 'npm run test:mutation -- --sample 30' },
  {
    name: 'components in Firefox',
    command: 'wtr',
    needs: ['build if stale'],
    env: { WTR_BROWSERS: 'firefox' },
    programs: ['firefox'],
  },
  {
    name: 'components in WebKit',
    command: 'wtr',
    needs: ['build if stale'],
    env: { WTR_BROWSERS: 'webkit' },
    programs: ['webkit'],
  },
  { name: 'pictures', command: 'npm run test:visual', needs: ['build if stale'] },
  { name: 'reading order', command: 'npm run test:reading', needs: ['build if stale'] },
  { name: 'slow tests', command: `${nodeTests} --slow` },
  { name: 'proxies', command: `${nodeTests} test/proxies`, needs: ['build if stale'] },
  {
    name: 'linters of OpenAPI',
    command: `${installIn('test/openapi-lint')} && ${nodeTests} test/openapi-lint`,
  },
  {
    name: 'traces',
    command: `${installIn('test/tracing')} && ${nodeTests} test/tracing`,
    programs: ['postgresql'],
  },
  { name: 'package lint', command: 'npm run lint:package', needs: ['build if stale'] },
  { name: 'package', command: 'npm run test:package', needs: ['build if stale', 'package lint'] },
  {
    name: 'stores and shop on PostgreSQL',
    // The slow tests of the stores are those of the step "slow tests", which runs them with each database.
    command: `${nodeTests} --quick test/stores && ${nodeTests} test/server-example/shop-on-postgres`,
    env: { TEST_DATABASES: 'postgres' },
    programs: ['postgresql'],
  },
  { name: 'other versions of Node', command: 'tsx scripts/test-node-versions.ts' },
  { name: '400 simulated hours', command: 'tsx scripts/simulate.ts --seeds 1001..1020 --hours 20 --no-shrink' },
  { name: 'simulated load', command: 'tsx scripts/simulate.ts --load --seeds 1001..1060' },
  { name: "README's commands in a fresh clone", command: 'npm run test:readme', isExclusive: true },
];
