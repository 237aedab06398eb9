import { widgetColours } from '../../base/widget-colours.ts';

/** The private properties of all colours: the value of a page, else what `valueOf` makes of those of both themes. */
export const colourDeclarations = (valueOf: (light: string, dark: string) => string): string =>
  widgetColours
    .map(([name, light, dark]) => `--_${name}:var(--pay-invoice-${name}, ${valueOf(light, dark)});`)
    .join('');
