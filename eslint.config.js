// Lint rules; the table of allowed imports is in scripts/eslint-layers.js.
import js from '@eslint/js';
import lit from 'eslint-plugin-lit';
import wc from 'eslint-plugin-wc';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import layers from './scripts/eslint-layers.js';

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

export default defineConfig(
  { ignores: ['dist', 'node_modules', 'coverage', '.data', '.screens', '.tmp', 'test/framework-starters'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      'no-useless-rename': 'error',
      'object-shorthand': 'error',
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
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
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportAllDeclaration', message: 'Public entries are explicit lists.' },
      ],
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
    },
  },
  { files: ['src/core/**/*.ts'], rules: { 'no-restricted-globals': ['error', ...ports] } },
  {
    files: ['src/server/**/*.ts', 'src/contract/**/*.ts', 'src/base/**/*.ts'],
    ignores: ['src/server/node/**'],
    rules: {
      'no-restricted-globals': ['error', { name: 'Buffer', message: 'The demo runs the backend in a page.' }],
    },
  },
  {
    files: ['src/view/**/*.ts', 'src/pay-invoice.ts'],
    extends: [lit.configs['flat/recommended'], wc.configs['flat/best-practice']],
  },
  {
    files: ['test/**/*.ts', 'src/testing/**/*.ts'],
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
