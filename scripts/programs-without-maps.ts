import type { Plugin } from 'vite';
import { withoutMapLink } from './without-map-link.ts';

/** Leaves the maps of programs away: nobody steps through them, and they would be a ninth of the package. */
export function programsWithoutMaps(): Plugin {
  return {
    name: 'programs-without-maps',
    apply: 'build',
    enforce: 'post',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk' || !file.fileName.startsWith('bin/')) continue;
        file.code = withoutMapLink(file.code);
        Reflect.deleteProperty(bundle, `${file.fileName}.map`);
      }
    },
  };
}
