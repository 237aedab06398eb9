import { create } from './dom-helpers.ts';
import { playState } from './play-gallery-state.ts';
import { states, type GalleryState } from './gallery-states.ts';
import { stillOf } from './still-widget.ts';

/** A group of states in the order of a payment, with the texts and the address of each tile. */
export interface TileGroup {
  readonly title: string;
  readonly tiles: readonly { readonly name: string; readonly title: string; readonly address: string }[];
}

/** How long nothing may change in a widget until its picture is taken, in ms: less than a second, in which its time changes. */
const restMs = 400;
/** How long a payer waits for an app that does not open until the widget offers help, in ms. */
const appMs = 2800;

/**
 * The wall of the gallery: a tile for each state, in groups. A tile is a link, and has a picture of the widget, which is played
 * once the tile comes near the window.
 */
export class GalleryWall {
  readonly #place: HTMLElement;
  readonly #observer: IntersectionObserver;
  /** Resolves when the tiles that came near the window before have their pictures. */
  #played = Promise.resolve();

  constructor(place: HTMLElement) {
    this.#place = place;
    this.#observer = new IntersectionObserver((entries) => this.#play(entries), { rootMargin: '50%' });
  }

  /** Shows the tiles in place of those before. */
  show(groups: readonly TileGroup[]): void {
    this.#observer.disconnect();
    this.#place.replaceChildren(
      ...groups.map(({ title, tiles }) =>
        create('section', {}, create('h2', {}, title), create('ul', {}, ...tiles.map((tile) => this.#tile(tile)))),
      ),
    );
  }

  /** Gives the focus to the tile of a state, and so shows it. */
  focus(name: string): void {
    this.#place
      .querySelector<HTMLElement>(`[data-state='${CSS.escape(name)}']`)
      ?.parentElement?.querySelector('a')
      ?.focus();
  }

  #tile({ name, title, address }: TileGroup['tiles'][number]): HTMLElement {
    const picture = create('div', { className: 'picture', inert: true });
    picture.dataset['state'] = name;
    this.#observer.observe(picture);
    return create('li', {}, create('a', { href: address }, title), picture);
  }

  #play(entries: readonly IntersectionObserverEntry[]): void {
    const pictures = entries
      .filter(({ isIntersecting }) => isIntersecting)
      .map(({ target }) => target)
      .filter((target) => target instanceof HTMLElement);
    for (const picture of pictures) this.#observer.unobserve(picture);
    this.#played = this.#played.then(() => playAll(pictures));
  }
}

/** Plays states at the same time, but for those that change the whole page: one after the other. */
async function playAll(pictures: readonly HTMLElement[]): Promise<void> {
  const shown = pictures.flatMap((picture) => {
    const state = states[picture.dataset['state'] ?? ''];
    return state === undefined || !picture.isConnected ? [] : [{ picture, state }];
  });
  // A state that cannot be played in this browser keeps no other from its picture.
  await Promise.allSettled(shown.filter(({ state }) => !changesPage(state)).map(play));
  for (const tile of shown) if (changesPage(tile.state)) await Promise.allSettled([play(tile)]);
}

/** Whether playing a state changes the page's clock, its clipboard, or in which app the page seems to be. */
const changesPage = ({ twoMinutesLater, clipboard, inApp }: GalleryState): boolean =>
  twoMinutesLater === true || clipboard !== undefined || inApp === true;

/** Plays a state in its tile, and leaves a picture of it there. */
async function play({
  picture,
  state,
}: {
  readonly picture: HTMLElement;
  readonly state: GalleryState;
}): Promise<void> {
  const { widget, played } = playState(state, { lang: document.documentElement.lang });
  picture.replaceChildren(widget);
  await played;
  // What has changed with the time is shown with the next answer, which may be seconds away.
  if (state.twoMinutesLater === true) await widget.refresh();
  if (state.click === 'app') await new Promise((resolve) => setTimeout(resolve, appMs));
  await rest(widget.shadowRoot ?? widget);
  picture.replaceChildren(stillOf(widget));
}

/** Resolves once nothing has changed below a node for some time. */
function rest(root: Node): Promise<void> {
  return new Promise((resolve) => {
    const observer = new MutationObserver(wait);
    let timer: ReturnType<typeof setTimeout> | undefined;
    observer.observe(root, { subtree: true, childList: true, characterData: true });
    wait();

    function wait(): void {
      clearTimeout(timer);
      timer = setTimeout(() => {
        observer.disconnect();
        resolve();
      }, restMs);
    }
  });
}
