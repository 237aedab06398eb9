/** Does something when what was rendered has been painted. */
export const afterPaint = (work: () => void): void => void requestAnimationFrame(() => void setTimeout(work));
