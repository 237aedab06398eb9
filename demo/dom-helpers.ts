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
