// A Vite plugin of the build for the package's commands.
import type { Plugin } from 'vite';

/** The commands, and the chunks with the code that they share with the entries `sandbox` and `conformance`. */
const programs = /^bin\/|^lib\/chunks\/(create-sandbox|conformance)-/;

/** Omits the source maps of the commands: nobody debugs them, and they would be a fifth of the package. */
export function omitProgramMaps(): Plugin {
  return {
    name: 'omit-program-maps',
    apply: 'build',
    enforce: 'post',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk' || !programs.test(file.fileName)) continue;
        file.code = file.code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
        Reflect.deleteProperty(bundle, `${file.fileName}.map`);
      }
    },
  };
}
