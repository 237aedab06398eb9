// Lint rules, and the table of allowed imports: which layer may import which, and which packages.
import js from '@eslint/js';
import lit from 'eslint-plugin-lit';
import wc from 'eslint-plugin-wc';
import tseslint from 'typescript-eslint';

/**
 * Each layer with the layers (regular expressions over a relative path) and packages that it may import.
 * `types` are layers that may be imported for their types alone. A path that is not listed fails the build.
 */
const layers = {
  'src/contract': { layers: [], packages: ['zod'] },
  'src/protocol': { layers: ['\\.\\./contract/(decimal|timestamp)\\.ts'], packages: ['zod'] },
  'src/i18n': { layers: [], packages: [] },
  'src/core': { layers: [], types: ['protocol'], packages: [] },
  'src/client': { layers: ['core', 'protocol'], packages: [] },
  'src/view': { layers: ['core', 'i18n'], types: ['protocol'], packages: ['lit', 'qrcode'] },
  'src/server': { layers: ['contract', 'protocol'], packages: ['zod', 'node:'] },
  'server-example': {
    layers: [
      'src/server\\.ts',
      'src/contract\\.ts',
      'src/protocol\\.ts',
      'shop',
      'store',
      'sandbox/sandbox\\.ts',
    ],
    packages: ['hono', '@hono/', 'kysely', 'libsql', 'pg', 'zod', 'vite', 'node:'],
  },
  'server-example/sandbox': {
    layers: ['src/contract\\.ts'],
    packages: ['hono', '@hono/', 'libsql', 'kysely', 'qrcode', 'zod', 'node:'],
  },
  demo: { layers: ['src/[a-z-]+\\.ts'], packages: [] },
};

/** The rule for one layer: everything that its row does not name is refused. */
function importRule({ layers, types = [], packages }) {
  const up = '(?:\\.\\./)+';
  const allowed = [...layers, ...types].map((l) =>
    l.startsWith('\\.') ? l : `${up}${l.includes('\\.') ? `${l}$` : `${l}/`}`,
  );
  const bare = packages.map((p) => (p.endsWith(':') || p.endsWith('/') ? p : `${p}(?:/|$)`));
  const patterns = [
    {
      regex: `^(?!${[...allowed, '\\./', ...bare].join('|')})`,
      message: 'This layer may not import that: see docs/architecture.md.',
    },
  ];
  for (const layer of types)
    patterns.push({
      regex: `^${up}${layer}/`,
      allowTypeImports: true,
      message: `Only the types of ${layer} may be imported here.`,
    });
  return { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] };
}

const ports = [
  'fetch',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'Date',
  'performance',
  'crypto',
  'window',
  'document',
  'navigator',
  'location',
  'queueMicrotask',
];

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'coverage', '.data', '.screens'] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['eslint.config.js', '*.mjs'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  { files: ['**/*.js', '**/*.mjs'], ...tseslint.configs.disableTypeChecked },
  {
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: {
      globals: { process: 'readonly', URL: 'readonly', fetch: 'readonly', console: 'readonly' },
    },
  },
  ...Object.entries(layers).map(([folder, row]) => ({
    files: [`${folder}/**/*.ts`],
    rules: importRule(row),
  })),
  {
    files: ['src/core/**/*.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...ports.map((name) => ({ name, message: 'A port in core/ports.ts.' })),
      ],
    },
  },
  {
    files: ['src/view/pay-invoice-element.ts'],
    rules: importRule({
      layers: ['core', 'client', 'i18n'],
      types: ['protocol'],
      packages: ['lit', 'qrcode'],
    }),
  },
  { files: ['src/view/**/*.ts', 'src/pay-invoice.ts'], ...lit.configs['flat/recommended'] },
  { files: ['src/view/**/*.ts', 'src/pay-invoice.ts'], ...wc.configs['flat/best-practice'] },
  {
    files: ['src/*.ts', 'src/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportAllDeclaration', message: 'Public entries are explicit lists.' },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            {
              from: 'package',
              package: 'node:test',
              name: ['test', 'it', 'describe', 'suite', 'before', 'after', 'beforeEach', 'afterEach'],
            },
          ],
        },
      ],
    },
  },
  {
    files: ['server-example/**/*.ts', 'scripts/**/*.ts', 'test/**/*.ts', 'demo/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
);
