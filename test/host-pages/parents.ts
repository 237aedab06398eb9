/** A parent of the widget that is not made for it. */
export interface Parent {
  readonly name: string;
  /** `{widget}` stands for the widget. */
  readonly body: string;
  /** The width that it has room for in a window, in CSS pixels; by default all that a shrinking parent has. */
  readonly room: (windowWidth: number) => number;
}

/** The width in a parent that shrinks to its content. */
const shrunk = (windowWidth: number): number => Math.max(280, Math.min(480, windowWidth - 64));
const page = (windowWidth: number): number => Math.min(960, windowWidth - 16);
const least = (): number => 280;

const inParent = (style: string, more = ''): string => `<div style="${style}">{widget}${more}</div>`;
const row = (name: string, body: string, room: Parent['room'] = shrunk): Parent => ({ name, body, room });
const neighbour = '<p style="flex: none; width: 90px">A neighbour</p>';

/** Parents that shrink to their content, and others that are narrower, wider or written in another direction than usual. */
export const parents: readonly Parent[] = [
  row('the body', '{widget}', page),
  row('a flex row', inParent('display: flex')),
  row('a centred flex row', inParent('display: flex; justify-content: center')),
  row('a centred flex column', inParent('display: flex; flex-direction: column; align-items: center')),
  row('a flex column that stretches', inParent('display: flex; flex-direction: column'), page),
  row('a flex row with a neighbour', inParent('display: flex; gap: 8px', neighbour), least),
  row('an inline flex row', inParent('display: inline-flex')),
  row('a grid that centres', inParent('display: grid; place-items: center')),
  row('an inline grid', inParent('display: inline-grid')),
  row(
    'a grid of two automatic columns',
    inParent('display: grid; grid-template-columns: auto auto', '<p>A</p>'),
    least,
  ),
  row('a grid that fills a centred screen', inParent('display: grid; min-height: 100vh; place-content: center')),
  row('a float', inParent('float: left')),
  row('a float at the end of a page from right to left', `<div dir="rtl">${inParent('float: right')}</div>`),
  row('a cell of a table', '<table><tr><td>{widget}</td></tr></table>'),
  row('a cell that does not wrap', '<table><tr><td nowrap>{widget}</td></tr></table>'),
  row('a cell beside another', '<table><tr><td>A</td><td>{widget}</td></tr></table>', least),
  row('a box with the display of a cell', inParent('display: table-cell')),
  row('a caption of a table', '<table><caption>{widget}</caption><tr><td>A</td></tr></table>', least),
  row('an absolute box', inParent('position: absolute; inset-inline-start: 8px')),
  row(
    'a fixed window in the middle of the page',
    inParent(
      'position: fixed; top: 50%; left: 50%; transform: translate(-50%, -50%); max-height: 100vh; overflow: auto',
    ),
    least,
  ),
  row('an inline block', inParent('display: inline-block')),
  row('a box that fits its content', inParent('width: fit-content')),
  row('a box as wide as its content', inParent('width: max-content')),
  row('a box as narrow as its content', inParent('width: min-content'), least),
  row('a fieldset', '<fieldset style="display: inline-block; padding: 0">{widget}</fieldset>', least),
  row(
    "the page's own dialog",
    '<dialog style="padding: 0">{widget}</dialog><script>document.querySelector("dialog").showModal()</script>',
    least,
  ),
  row('two columns of text', inParent('columns: 2 300px', '<p>Text</p>'.repeat(9)), least),
  row('a list', '<ul><li>{widget}</li></ul>', least),
  row('text that is written from top to bottom', inParent('writing-mode: vertical-rl')),
  row('text from right to left', inParent('direction: rtl; display: flex')),
  row('a box that is wider than the window', inParent('width: 2000px'), page),
  row('a box of 200 px', inParent('width: 200px'), least),
  row(
    'an area that scrolls, in a flex row',
    `<div style="display: flex">${inParent('overflow: auto; max-height: 95vh')}</div>`,
  ),
  row(
    'a shadow tree that shrinks',
    '<div id="host">{widget}</div><script>document.querySelector("#host").attachShadow({ mode: "open" }).innerHTML = `<div style="display: flex"><slot></slot></div>`</script>',
  ),
];
