// A Vite plugin of the build for the package's commands.
import type { Plugin } from 'vite';

/** Omits the source maps of the commands: nobody debugs them, and they would be a ninth of the package. */
export function omitProgramMaps(): Plugin {
  return {
    name: 'omit-program-maps',
    apply: 'build',
    enforce: 'post',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk' || !file.fileName.startsWith('bin/')) continue;
        file.code = file.code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
        Reflect.deleteProperty(bundle, `${file.fileName}.map`);
      }
    },
  };
}
