import { assert } from '@open-wc/testing';
import maskPattern from 'qrcode/lib/core/mask-pattern.js';
import { create } from 'qrcode/lib/core/qrcode.js';
import { chooseMask, type Modules } from '../../src/view/qr/choose-mask.ts';

/** The penalty rules of the package `qrcode`, which its types omit. */
interface Rules {
  applyMask: (mask: number, modules: unknown) => void;
  getPenaltyN1: (modules: unknown) => number;
  getPenaltyN2: (modules: unknown) => number;
  getPenaltyN3: (modules: unknown) => number;
  getPenaltyN4: (modules: unknown) => number;
}
const rules = maskPattern as unknown as Rules;

function penaltyByPackage(modules: Modules, mask: number, setFormat: (mask: number) => void): number {
  setFormat(mask);
  rules.applyMask(mask, modules);
  const { getPenaltyN1, getPenaltyN2, getPenaltyN3, getPenaltyN4 } = rules;
  const penalty = [getPenaltyN1, getPenaltyN2, getPenaltyN3, getPenaltyN4].reduce(
    (total, rule) => total + rule(modules),
    0,
  );
  rules.applyMask(mask, modules);
  return penalty;
}

const textOfLength = (length: number): string =>
  Array.from({ length }, (_, index) => String.fromCharCode(33 + ((index * index * 31 + length * 7) % 90))).join('');
const texts = [
  ...Array.from({ length: 60 }, (_, index) => textOfLength(1 + index * 11)),
  '0'.repeat(300),
  'A'.repeat(200),
  'https://qr.nspk.ru/AS10003P3RH0LJ2A9ROO038L6NT5RU1M?type=02&bank=100000000001&sum=150000&cur=RUB&crc=AB12',
];

describe('the mask of a QR code', () => {
  it('is the first of those with the least penalty by the four rules of the standard', () => {
    const originalGetBestMask = maskPattern.getBestMask;
    const chosenMasks = new Set<number>();
    maskPattern.getBestMask = (modules, setFormat) => {
      const penalties = Array.from({ length: 8 }, (_, mask) => penaltyByPackage(modules, mask, setFormat));
      const mask = chooseMask(modules, setFormat);
      assert.equal(mask, penalties.indexOf(Math.min(...penalties)));
      chosenMasks.add(mask);
      return mask;
    };
    try {
      for (const text of texts) for (const level of ['M', 'Q'] as const) create(text, { errorCorrectionLevel: level });
    } finally {
      maskPattern.getBestMask = originalGetBestMask;
    }
    assert.equal(chosenMasks.size, 8);
  });
});
