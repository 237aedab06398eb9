import { widgetColours } from './widget-colours.ts';

/** The colour around the card. */
export const pageColours = { light: '#f2f4f8', dark: '#0e1015' } as const;

/** The declarations of all colours, each with the values of both themes; `--page` is that around the card. */
export const colourDeclarations = [['page', pageColours.light, pageColours.dark], ...widgetColours]
  .map(([name, light, dark]) => `--${name}: light-dark(${light}, ${dark});`)
  .join('\n  ');
