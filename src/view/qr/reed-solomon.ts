// Error correction of QR codes: Reed-Solomon over GF(2^8) with the polynomial 0x11d (ISO/IEC 18004, 7.5).

function multiply(x: number, y: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((y >>> bit) & 1) * x;
  }
  return product;
}

/** The generator polynomial of a degree, without its leading 1. */
export function generator(degree: number): readonly number[] {
  let polynomial = [...Array<number>(degree - 1).fill(0), 1];
  let root = 1;
  for (let step = 0; step < degree; step++) {
    const factor = root;
    polynomial = polynomial.map((term, index) => multiply(term, factor) ^ (polynomial[index + 1] ?? 0));
    root = multiply(root, 2);
  }
  return polynomial;
}

/** The error correction codewords of a block: the remainder of its division by the generator. */
export function correction(block: readonly number[], divisor: readonly number[]): number[] {
  let rest = divisor.map(() => 0);
  for (const codeword of block) {
    const factor = codeword ^ (rest[0] ?? 0);
    rest = divisor.map((term, index) => (rest[index + 1] ?? 0) ^ multiply(term, factor));
  }
  return rest;
}
