// A Vite plugin of the build for browsers: leaves out of the `qrcode` package the choice of the mask, which the widget replaces.
import type { Plugin } from 'vite';

const penaltyRulesStart = 'exports.getPenaltyN1 =';
const maskFunctionStart = 'function getMaskAt ';
const bestMaskStart = 'exports.getBestMask =';

/** Removes the four penalty rules and the choice of the mask. Fails when an update of the package has moved them. */
export function qrcodeWithoutMaskChoice(): Plugin {
  return {
    name: 'qrcode-without-mask-choice',
    apply: 'build',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('/qrcode/lib/core/mask-pattern.js')) return null;
      const [penaltyRulesIndex, maskFunctionIndex, bestMaskIndex] = [
        code.indexOf(penaltyRulesStart),
        code.indexOf(maskFunctionStart),
        code.indexOf(bestMaskStart),
      ];
      if (penaltyRulesIndex < 0 || maskFunctionIndex < penaltyRulesIndex || bestMaskIndex < maskFunctionIndex)
        throw new Error('qrcode: the choice of the mask is not where it was');
      return { code: code.slice(0, penaltyRulesIndex) + code.slice(maskFunctionIndex, bestMaskIndex), map: null };
    },
  };
}
