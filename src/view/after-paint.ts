/** Resolves when what is rendered now has been painted. A page that is hidden paints nothing: there the time decides. */
export const afterPaint = (): Promise<void> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
    setTimeout(resolve, 300);
  });
