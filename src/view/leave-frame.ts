/** False on a server, which has neither of the two. */
export const isInFrame = (): boolean => globalThis.self !== globalThis.top;

/**
 * Makes a link of the widget leave the frame in which it is tapped: banks refuse frames, and the shop's page belongs to the whole
 * window. Where the frame's sandbox forbids that, the link opens a new tab.
 */
export function leaveFrame(event: MouseEvent, root: Node): void {
  const link = event.composedPath().find((target) => target instanceof HTMLAnchorElement);
  const isOwn = link?.getRootNode() === root && link.target === '';
  if (!isOwn || !top || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey) return;
  try {
    top.location.href = link.href;
    event.preventDefault();
  } catch {
    link.target = '_blank';
  }
}
