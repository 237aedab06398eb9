// What stands around the widget in README's pictures: a window of a desktop and a phone, on a calm ground.
import { imageOf } from './picture-studio.ts';

export const sceneStyle = `
  .scene { position: relative; box-sizing: border-box; background: #dde5fb; overflow: hidden }
  .window, .phone { position: absolute; overflow: hidden; background: #fff; box-shadow: 0 0 0 1px #1f2a5c1f, 0 20px 44px #1f2a5c2e }
  .window { border-radius: 12px }
  .window::before { content: ''; display: block; height: 34px; background:
    radial-gradient(circle at 20px 17px, #c3cce6 5px, transparent 6px),
    radial-gradient(circle at 38px 17px, #c3cce6 5px, transparent 6px),
    radial-gradient(circle at 56px 17px, #c3cce6 5px, transparent 6px), #f4f6fc }
  .phone { border: 8px solid #1d2236; border-radius: 36px }
  .phone::before { content: ''; display: block; height: 26px; background:
    radial-gradient(circle at 50% 13px, #1d2236 5px, transparent 6px) }
  .cursor { position: absolute; width: 22px; fill: #111527; stroke: #fff; stroke-width: 1.5 }
  .cursor.pressing { scale: 0.85 }
  img { display: block }
`;

export interface Place {
  readonly left: number;
  readonly top: number;
}

const styleOf = ({ left, top }: Place, more = ''): string => `style="left: ${left}px; top: ${top}px; ${more}"`;

export const windowMarkup = (picture: Buffer, place: Place, width: number): string =>
  `<div class="window" ${styleOf(place, `width: ${width}px`)}>${imageOf(picture, width)}</div>`;

export const phoneMarkup = (picture: Buffer, place: Place, width: number): string =>
  `<div class="phone" ${styleOf(place, `width: ${width}px`)}>${imageOf(picture, width)}</div>`;

export const cursorMarkup = (place: Place, isPressing: boolean): string =>
  `<svg class="cursor${isPressing ? ' pressing' : ''}" ${styleOf(place)} viewBox="0 0 20 24"><path d="M2 1v18l4.5-4 3 7 3.2-1.4-3-6.8H16Z"/></svg>`;

export const sceneMarkup = (width: number, height: number, content: string): string =>
  `<div class="scene" style="width: ${width}px; height: ${height}px">${content}</div>`;
