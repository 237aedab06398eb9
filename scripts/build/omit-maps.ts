// A Vite plugin of the build of the package's entries and commands.
import type { Plugin } from 'vite';

/** The commands, the chunks with the code that they share with `sandbox` and `conformance`, and the chunk of the QR encoder. */
const chunksWithoutMap = /^bin\/|^lib\/chunks\/(create-sandbox|conformance|qr-encoder)-/;

/** Omits source maps that are rarely needed: those of the commands would be a fifth of the package, and the QR encoder is not ours. */
export function omitMaps(): Plugin {
  return {
    name: 'omit-maps',
    apply: 'build',
    enforce: 'post',
    generateBundle(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== 'chunk' || !chunksWithoutMap.test(file.fileName)) continue;
        file.code = file.code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
        Reflect.deleteProperty(bundle, `${file.fileName}.map`);
      }
    },
  };
}
