// A lint rule with the table of allowed imports: which layers and packages each layer may import (docs/development/architecture.md).
// Layers meet only through their entry files (src/core.ts, …); inside a layer everything may import everything.
import path from 'node:path';

/** The row of one folder of the server: the folders and files of the server that it may import. */
function serverFolder(name, values, { types = [] } = {}) {
  const place = `src/server/${name}/`;
  const paths = (list) => list.map((item) => `src/server/${item}${item.endsWith('.ts') ? '' : '/'}`);
  return {
    place,
    own: [
      place,
      ...paths(values),
      'src/service-api.ts',
      'src/checkout-api.ts',
      'src/checkout-api/safe-link.ts',
      'src/checkout-api/requisites.ts',
    ],
    types: paths(types),
    packages: ['zod', 'node:'],
  };
}

/** Options are refused in one way. */
const strictOptions = 'src/server/domain/strict-object.ts';

/** The first row whose `place` contains a file applies to it. `types` are entries of which only types may be imported. */
const table = [
  { place: 'src/base/make-folder.ts', own: [], packages: ['node:'] },
  { place: 'src/base/qr-encoder.ts', own: ['src/base/'], packages: ['qrcode'] },
  { place: 'src/base/', own: ['src/base/'] },
  { place: 'src/service-api/', own: ['src/service-api/'], packages: ['zod'] },
  {
    place: 'src/checkout-api/schemas/',
    own: ['src/checkout-api/', 'src/service-api/scalars.ts'],
    packages: ['zod'],
  },
  { place: 'src/checkout-api/', own: ['src/checkout-api/(?!schemas/)'], types: ['src/checkout-api/schemas/'] },
  { place: 'src/i18n/', own: ['src/i18n/', 'src/locales/'] },
  { place: 'src/locales/', own: ['src/locales/'], types: ['src/i18n/messages-type.ts'] },
  {
    place: 'src/core/',
    own: ['src/core/', 'src/checkout-api/safe-link.ts', 'src/checkout-api/requisites.ts'],
    types: ['src/checkout-api.ts'],
  },
  {
    place: 'src/client/',
    own: ['src/client/', 'src/core.ts', 'src/checkout-api/decoders/', 'src/checkout-api/checkout-urls.ts'],
    types: ['src/checkout-api.ts'],
  },
  {
    place: 'src/view/pay-invoice-element.ts',
    own: ['src/view/', 'src/core.ts', 'src/i18n.ts', 'src/client.ts'],
    types: ['src/checkout-api.ts'],
    packages: ['lit'],
  },
  {
    place: 'src/view/payment-screens.ts',
    own: ['src/view/', 'src/core.ts', 'src/i18n.ts', 'src/client.ts', 'src/checkout-api/safe-link.ts'],
    packages: ['lit'],
  },
  {
    place: 'src/view/controllers/payment-screens-loader.ts',
    own: ['src/view/', 'src/core.ts', 'src/client.ts'],
    packages: ['lit'],
  },
  {
    place: 'src/view/controllers/session-controller.ts',
    own: ['src/view/', 'src/core.ts', 'src/client.ts'],
    types: ['src/checkout-api.ts'],
    packages: ['lit'],
  },
  {
    place: 'src/view/',
    own: ['src/view/', 'src/core.ts', 'src/i18n.ts', 'src/checkout-api/safe-link.ts'],
    types: ['src/checkout-api.ts'],
    packages: ['lit'],
  },
  // The folders of the server depend in one direction (docs/development/architecture.md).
  serverFolder('ports', []),
  serverFolder('domain', [], { types: ['ports', 'timing-and-limit-defaults.ts'] }),
  serverFolder('between-requests', ['domain', 'ports'], {
    types: ['timing-and-limit-defaults.ts', 'server-context.ts'],
  }),
  serverFolder('memory-store', ['domain', 'ports']),
  serverFolder('guarded-store', ['domain', 'ports', 'telemetry']),
  serverFolder('telemetry', ['domain', 'ports']),
  serverFolder('invoice-client', ['domain', 'ports', 'telemetry/metrics.ts']),
  serverFolder('commands', ['between-requests', 'domain', 'ports'], { types: ['server-context.ts'] }),
  serverFolder('workers', ['commands', 'between-requests', 'domain', 'ports'], { types: ['server-context.ts'] }),
  serverFolder('http', ['workers', 'commands', 'between-requests', 'domain', 'ports'], {
    types: ['telemetry', 'server-context.ts', 'checkout-server-options.ts', 'timing-and-limit-defaults.ts'],
  }),
  serverFolder('node', ['http', 'ports', 'domain/strict-object.ts'], { types: ['checkout-server.ts'] }),
  {
    place: 'src/server/',
    own: ['src/server/', 'src/service-api.ts', 'src/checkout-api.ts', 'src/checkout-api/safe-link.ts'],
    packages: ['zod', 'node:'],
  },
  {
    place: 'src/tools/conformance/',
    own: ['src/tools/conformance/', 'src/checkout-api.ts', 'src/service-api/scalars.ts', strictOptions],
    packages: ['zod', 'qrcode', 'node:'],
  },
  {
    place: 'src/stores/',
    own: ['src/stores/', 'src/(server|server-internals|service-api|checkout-api).ts', strictOptions],
    packages: ['kysely', 'pg', 'zod', 'node:'],
  },
  {
    place: 'src/tools/testing/',
    own: ['src/tools/testing/', 'src/(checkout-api|server|sandbox).ts', strictOptions],
    packages: ['zod', 'node:'],
  },
  {
    place: 'src/tools/sandbox/',
    own: ['src/tools/sandbox/', 'src/service-api.ts', 'src/base/', strictOptions],
    packages: ['hono', 'zod', 'node:'],
  },
  {
    place: 'src/operator-page/',
    own: ['src/operator-page/', 'src/core/select-public-state.ts', 'src/view/screens/method-texts.ts'],
    types: ['src/checkout-api.ts', 'src/(server|server-internals).ts'],
    packages: ['lit'],
  },
  {
    // A program of its own: it may use every entry that a merchant's program uses.
    place: 'src/standalone/',
    own: [
      'src/standalone/',
      'src/(service-api|checkout-api|core|i18n|server|server-internals|sqlite|postgres|sandbox).ts',
      strictOptions,
      'src/core/(select-public-state|validate-checkout).ts',
      'src/view/screens/(method|payment)-texts.ts',
      'src/stores/(table-names|postgres-url|migrations/checkout-tables|sqlite-file).ts',
    ],
    packages: ['hono', 'zod', 'node:'],
  },
  {
    place: 'src/bin/',
    own: ['src/bin/', 'src/[a-z-]+.ts', 'src/(tools/(conformance|sandbox)|standalone)/command-line.ts'],
    packages: ['node:'],
  },
  { place: 'src/', own: ['src/'], packages: [] },
  {
    // A merchant copies it: it imports the package by its name.
    place: 'server-example/',
    own: ['server-example/'],
    packages: ['hono', '@hono/', 'pay-invoice', 'node:'],
  },
  {
    place: 'demo/server.ts',
    own: ['server-example/'],
    packages: ['hono', '@hono/', 'pay-invoice', 'zod', 'node:'],
  },
  {
    place: 'demo/',
    own: ['demo/', 'src/[a-z-]+.ts', 'src/locales/[a-z]+.ts', 'examples/', 'docs/integrating.md'],
    packages: [],
  },
];

const starts = (patterns, text) =>
  patterns.some((pattern) => new RegExp(`^${pattern.replaceAll('.', '\\.')}`).test(text));

/** Helpers without dependencies, which every layer may import. */
const base = 'src/base/';

/** Whether a row allows a specifier, as a value or as a type. */
function allows(row, file, specifier, typeOnly) {
  if (!specifier.startsWith('.')) {
    return (row.packages ?? []).some((name) =>
      /[:/]$/.test(name) ? specifier.startsWith(name) : specifier === name || specifier.startsWith(`${name}/`),
    );
  }
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier)).split('?')[0] ?? '';
  return starts([base, ...row.own], target) || (typeOnly && starts(row.types ?? [], target));
}

const rule = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { forbidden: '{{place}} may not import {{specifier}}{{hint}}: see docs/development/architecture.md.' },
  },
  create(context) {
    const file = path.relative(context.cwd, context.filename).split(path.sep).join('/');
    const row = table.find(({ place }) => file.startsWith(place));
    if (row === undefined) return {};
    const check = (node, typeOnly) => {
      const specifier = node.source?.value;
      if (typeof specifier !== 'string' || allows(row, file, specifier, typeOnly)) return;
      const hint = allows(row, file, specifier, true) ? ' for more than its types' : '';
      context.report({
        node: node.source,
        messageId: 'forbidden',
        data: { place: row.place, specifier, hint },
      });
    };
    return {
      ImportDeclaration: (node) => check(node, node.importKind === 'type'),
      ExportNamedDeclaration: (node) => check(node, node.exportKind === 'type'),
      ExportAllDeclaration: (node) => check(node, node.exportKind === 'type'),
      ImportExpression: (node) => check(node, false),
    };
  },
};

export default { rules: { layers: rule } };
