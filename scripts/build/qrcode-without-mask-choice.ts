// A Vite plugin of the build for browsers: leaves out of the `qrcode` package the choice of the mask, which the widget replaces.
import type { Plugin } from 'vite';

const first = 'exports.getPenaltyN1 =';
const next = 'function getMaskAt ';
const last = 'exports.getBestMask =';

/** Removes the four penalty rules and the choice by them. Fails where they are not found, as after an update of the package. */
export function qrcodeWithoutMaskChoice(): Plugin {
  return {
    name: 'qrcode-without-mask-choice',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('/qrcode/lib/core/mask-pattern.js')) return null;
      const [from, to, end] = [code.indexOf(first), code.indexOf(next), code.indexOf(last)];
      if (from < 0 || to < from || end < to) throw new Error('qrcode: the choice of the mask is not where it was');
      return { code: code.slice(0, from) + code.slice(to, end), map: null };
    },
  };
}
