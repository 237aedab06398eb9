/** The shop's colour as the page uses it: readable on the surface of each theme, with a readable text on it. */
export interface Accent {
  readonly light: string;
  readonly lightText: string;
  readonly dark: string;
  readonly darkText: string;
}

/** Red, green and blue, from 0 to 255. */
type Rgb = readonly number[];

/** The form of the shop's colour: `#3451d1`. */
export const accentPattern = /^#[\da-f]{6}$/i;

/** The least contrast of texts (WCAG 2.2, 1.4.3); on a dark surface a little more, where a dull colour looks switched off. */
const [minContrast, minContrastInDark] = [4.5, 6.5];

const parseColour = (text: string): Rgb => {
  const value = Number.parseInt(text.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
};

const formatColour = (rgb: Rgb): string =>
  `#${rgb.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`;

/** The relative luminance (WCAG 2.2). */
function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: Rgb, other: Rgb): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

const white: Rgb = [255, 255, 255];
const black: Rgb = [0, 0, 0];

/** The colour, mixed with another one only as far as it is readable on a surface. */
function readable(colour: Rgb, surface: Rgb, other: Rgb, least: number): Rgb {
  for (let share = 0; share < 1; share += 0.02) {
    const mixed = colour.map((channel, index) => channel + ((other[index] ?? 0) - channel) * share);
    if (contrast(mixed, surface) >= least) return mixed;
  }
  return other;
}

/** The text on a colour: white, or black where that is easier to read. */
const textOn = (colour: Rgb): string => (contrast(colour, white) >= minContrast ? '#fff' : '#0c1230');

/** The surfaces of the two themes. */
export const surfaces = { light: '#ffffff', dark: '#171a21' } as const;

/** Makes the shop's colour readable in both themes. `colour` has the form of `accentPattern`. */
export function createAccent(colour: string): Accent {
  const rgb = parseColour(colour);
  const light = readable(rgb, parseColour(surfaces.light), black, minContrast);
  const dark = readable(rgb, parseColour(surfaces.dark), white, minContrastInDark);
  return { light: formatColour(light), lightText: textOn(light), dark: formatColour(dark), darkText: textOn(dark) };
}
