// Runs in the page before anything else, as `(probe)(marks, clickAtOnce)`: reports when each mark is on the screen, in the same way for
// every subject. In each frame it searches for the elements of a mark, through open shadow roots, until `count` of them have
// a box inside the viewport, are neither hidden nor transparent, and (pictures) have content. It reports the time of the next
// frame, when they have been painted. Times are in ms since 1970.
(marks, clickAtOnce) => {
  const report = (name, time) => globalThis.benchMark(name, performance.timeOrigin + time, performance.timeOrigin);

  const select = (root, selector) => {
    const elements = [...root.querySelectorAll(selector)];
    for (const { shadowRoot } of root.querySelectorAll('*'))
      if (shadowRoot) elements.push(...select(shadowRoot, selector));
    return elements;
  };

  const isDrawn = (element) => {
    if (element instanceof HTMLImageElement) return element.complete && element.naturalWidth > 0;
    if (!(element instanceof HTMLCanvasElement)) return true;
    const { width, height } = element;
    if (width === 0 || height === 0) return false;
    const { data } = element.getContext('2d').getImageData(0, 0, width, height);
    return data.some((value) => value !== data[0]);
  };

  const isVisible = (element) => {
    const { width, height, top, left } = element.getBoundingClientRect();
    const isInViewport = width > 0 && height > 0 && top < innerHeight && left < innerWidth;
    return (
      isInViewport && element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && isDrawn(element)
    );
  };

  let pendingMarks = marks;
  const checkFrame = () => {
    pendingMarks = pendingMarks.filter(({ name, selector, count }) => {
      if (select(document, selector).filter(isVisible).length < count) return true;
      requestAnimationFrame((time) => {
        report(name, time);
        if (clickAtOnce && name === 'options') select(document, clickAtOnce)[0].click();
      });
      return false;
    });
    if (pendingMarks.length > 0) requestAnimationFrame(checkFrame);
  };
  requestAnimationFrame(checkFrame);

  // The request that follows from the click is sent.
  const { fetch } = globalThis;
  if (clickAtOnce)
    globalThis.fetch = (url, init) => {
      if (init?.method === 'POST') report('sent', performance.now());
      return fetch(url, init);
    };

  addEventListener('click', ({ timeStamp }) => report('click', timeStamp), { capture: true, once: true });
};
