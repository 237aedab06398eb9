/** Resolves once the current render is painted. A hidden page paints nothing, so it resolves after 300 ms at the latest. */
export const waitForPaint = (): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, 300);
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        clearTimeout(timer);
        resolve();
      }),
    );
  });
