/** Resolves once the current render is painted. A hidden page paints nothing, so it resolves after 300 ms at the latest. */
export const afterPaint = (): Promise<void> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
    setTimeout(resolve, 300);
  });
