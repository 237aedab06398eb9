/** The element with an id of this page. Throws when there is none. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no #${id}`);
  return element;
}

/** A new element with properties and children; texts become text nodes, never markup. */
export function create<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** A button with a text and a click handler. */
export function button(label: string, className: string, onClick: () => void): HTMLButtonElement {
  const element = create('button', { type: 'button', className }, label);
  element.addEventListener('click', onClick);
  return element;
}

/** A drawing of lines: a path of SVG on a square grid. The text beside it says what it is. */
export function lineDrawing(path: string, grid: number): SVGSVGElement {
  const namespace = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(namespace, 'svg');
  svg.setAttribute('viewBox', `0 0 ${grid} ${grid}`);
  svg.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS(namespace, 'path');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}
