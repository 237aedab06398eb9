// A step of `npm run build:library`: writes the types of each entry of the package. What several entries share is in chunks, and
// what no entry exports is left out.
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { packageEntries, packageLibraries } from './package-entries.ts';

const bundle = await rollup({
  input: Object.fromEntries(packageEntries.map((name) => [name, `src/${name}.ts`])),
  external: [...packageLibraries],
  plugins: [dts({ tsconfig: 'tsconfig.build.json' })],
});
await bundle.write({
  dir: 'dist/lib',
  entryFileNames: '[name].d.ts',
  chunkFileNames: 'chunks/[name]-[hash].d.ts',
});
await bundle.close();
