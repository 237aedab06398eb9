// Lint rules; the table of allowed imports is in scripts/eslint-layers.js.
import js from '@eslint/js';
import compat from 'eslint-plugin-compat';
import lit from 'eslint-plugin-lit';
import regexp from 'eslint-plugin-regexp';
import wc from 'eslint-plugin-wc';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import layers from './scripts/eslint-layers.js';
import types from './scripts/eslint-types.js';

/** What core gets through its ports and never takes from its surroundings. */
const ports = [
  'fetch',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'queueMicrotask',
  'Date',
  'performance',
  'crypto',
  'window',
  'document',
  'navigator',
  'location',
  'localStorage',
  'sessionStorage',
  'BroadcastChannel',
].map((name) => ({ name, message: 'Take it through a port of src/core/session-ports.ts.' }));

/** Randomness and time that a run could not repeat. The default ports are in src/base. */
const unportedProperties = [
  ['Math', 'random', 'random.ts'],
  ['crypto', 'getRandomValues', 'random.ts'],
  ['crypto', 'randomUUID', 'random.ts'],
  ['Date', 'now', 'clock.ts'],
  ['performance', 'now', 'clock.ts'],
  ['AbortSignal', 'timeout', 'clock.ts'],
].map(([object, property, file]) => ({ object, property, message: `Take it through the port of src/base/${file}.` }));
const unportedGlobals = ['setTimeout', 'setInterval'].map((name) => ({
  name,
  message: 'Take it through the port of src/base/clock.ts.',
}));
const unportedImports = [
  { name: 'node:crypto', importNames: ['randomBytes', 'randomInt', 'randomUUID', 'webcrypto'] },
  { name: 'node:timers' },
  { name: 'node:timers/promises' },
  { name: 'node:perf_hooks' },
].map((path) => ({ ...path, message: 'Take it through a port of src/base.' }));
const buffer = { name: 'Buffer', message: 'Browsers have none.' };
const exportAll = { selector: 'ExportAllDeclaration', message: 'Public entries are explicit lists.' };

export default defineConfig(
  { ignores: ['dist', 'node_modules', 'coverage', '.data', '.screens', '.tmp', 'test/framework-starters'] },
  js.configs.recommended,
  {
    // No regular expression takes more than linear time, whatever the text: one that reads our own files today may read a
    // payer's header tomorrow. `src/base/text-limits.ts` has the lengths of what comes from outside.
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': 'error',
    },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { types },
    rules: {
      'types/types': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      'no-useless-rename': 'error',
      'object-shorthand': 'error',
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // It takes 8 % of the time, and the compiler refuses enums (`erasableSyntaxOnly`).
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    files: ['src/**/*.ts', 'server-example/**/*.ts', 'demo/**/*.ts'],
    plugins: { house: layers },
    rules: { 'house/layers': 'error' },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', exportAll],
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
    },
  },
  {
    files: ['src/server/**/*.ts', 'src/stores/**/*.ts', 'src/tools/sandbox/**/*.ts', 'src/core/**/*.ts'],
    rules: {
      'no-restricted-properties': ['error', ...unportedProperties],
      'no-restricted-globals': ['error', ...unportedGlobals],
      'no-restricted-imports': ['error', ...unportedImports],
      'no-restricted-syntax': [
        'error',
        exportAll,
        {
          selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
          message: 'Take it through the port of src/base/clock.ts.',
        },
      ],
    },
  },
  { files: ['src/core/**/*.ts'], rules: { 'no-restricted-globals': ['error', ...ports] } },
  {
    files: ['src/base/**/*.ts'],
    ignores: ['src/base/random.ts'],
    rules: { 'no-restricted-globals': ['error', buffer] },
  },
  {
    // Objects that one of the oldest supported engines (`browserslist` in package.json) lacks; `lib` in tsconfig.json limits the
    // language's own.
    ...compat.configs['flat/recommended'],
    files: ['src/{base,checkout-api,client,core,i18n,view}/**/*.ts'],
  },
  {
    files: ['src/view/**/*.ts', 'src/pay-invoice.ts'],
    extends: [lit.configs['flat/recommended'], wc.configs['flat/best-practice']],
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'CallExpression[callee.name=/^(describe|suite)$/] > ArrowFunctionExpression[async=true]',
          message: 'Open at the top level of the file what its tests need: scripts/test-node/run-in-one-process.js.',
        },
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
  {
    files: ['test/bench/**/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'document',
          'location',
          'performance',
          'customElements',
          'crypto',
          'FormData',
          'HTMLImageElement',
          'HTMLCanvasElement',
          'innerWidth',
          'innerHeight',
          'requestAnimationFrame',
          'addEventListener',
          'setInterval',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        setTimeout: 'readonly',
      },
    },
  },
);
