/** The middle of the values, or the mean of the two in the middle; NaN when there are no values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[Math.floor(sorted.length / 2)]];
  return ((low ?? NaN) + (high ?? NaN)) / 2;
}

/** The least and the greatest of the values. */
export const minAndMax = (values: readonly number[]): readonly [number, number] => [
  Math.min(...values),
  Math.max(...values),
];
