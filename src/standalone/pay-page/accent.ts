/** The form of the shop's colour: `#3451d1`. */
export const accentPattern = /^#[\da-f]{6}$/i;

/** The relative luminance (WCAG 2.2) of a colour with the form of `accentPattern`. */
function luminance(colour: string): number {
  const value = Number.parseInt(colour.slice(1), 16);
  const [red = 0, green = 0, blue = 0] = [value >> 16, (value >> 8) & 255, value & 255].map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The text on a colour: white where it has a contrast of 4.5 (WCAG 2.2, 1.4.3), else black. */
export const textOn = (colour: string): string => (1.05 / (luminance(colour) + 0.05) >= 4.5 ? '#fff' : '#000');
