/**
 * Pictures of the methods that belong to nobody, for a trial and the demo: a phone with a bolt, a card, a bank. They are paths of SVG
 * on a grid of 24 × 24 by the type of the method.
 */
export const methodDrawings = {
  SBP: 'M8 2.5h8A1.5 1.5 0 0 1 17.5 4v16a1.5 1.5 0 0 1-1.5 1.5H8A1.5 1.5 0 0 1 6.5 20V4A1.5 1.5 0 0 1 8 2.5Zm4.7 4L9.8 12.4h4.4l-2.9 5.1',
  CARD: 'M4 5h16a1.5 1.5 0 0 1 1.5 1.5v11A1.5 1.5 0 0 1 20 19H4a1.5 1.5 0 0 1-1.5-1.5v-11A1.5 1.5 0 0 1 4 5ZM2.5 9.5h19M6 15h4.5',
  BANK_TRANSFER: 'M3 9.5 12 4l9 5.5ZM5.5 12.5v4.5M10 12.5v4.5M14 12.5v4.5M18.5 12.5v4.5M3 20h18',
} as const;

/** A picture as a file, in the grey of the light and of the dark theme. */
export const drawingSvg = (path: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>path{fill:none;stroke:#586174;stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round}@media(prefers-color-scheme:dark){path{stroke:#a3adbf}}</style><path d="${path}"/></svg>`;
