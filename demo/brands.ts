import type { Settings } from './playground-code.ts';

/** What a brand sets, by the names of custom properties without their beginning. */
const looks = {
  Blue: {},
  Clay: { accent: '#9a3412', radius: '4px' },
  Leaf: { accent: '#1f6b4a', radius: '14px' },
  Sun: { accent: '#ffcc00', radius: '20px' },
  Ink: { accent: '#111111', radius: '0px', font: 'Georgia, serif' },
  Plum: { accent: '#7c2d92', radius: '24px', space: '1.15em' },
} satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

export type Brand = keyof typeof looks;

/** The brands with which the playground begins. */
export const brands = Object.keys(looks) as Brand[];

/** The colour by which a brand is known; undefined: the widget's own. */
export const colourOf = (brand: Brand): string | undefined => settingsOf(brand).get('--pay-invoice-accent');

/** The custom properties of a brand. */
const settingsOf = (brand: Brand): Settings =>
  new Map(Object.entries(looks[brand]).map(([name, value]) => [`--pay-invoice-${name}`, value]));

/** The settings with the look of a brand in place of their own; what is no custom property stays. */
export const withBrand = (settings: Settings, brand: Brand): Map<string, string> =>
  new Map([...[...settings].filter(([name]) => !name.startsWith('--')), ...settingsOf(brand)]);

/** Whether the settings have the look of a brand, and no other. */
export const hasBrand = (settings: Settings, brand: Brand): boolean => {
  const look = settingsOf(brand);
  const own = [...settings].filter(([name]) => name.startsWith('--'));
  return own.length === look.size && own.every(([name, value]) => look.get(name) === value);
};
