import { states } from './gallery-states.ts';
import { defaultOrder } from './playground-code.ts';
import type { Text } from './page-texts.ts';

/** A setting of the playground. */
export interface Field {
  /** The name of the setting, also in the fragment of the page's URL. */
  readonly name: string;
  /** The attribute, property, slot or CSS property that the setting sets, as it is written in code. */
  readonly code: string;
  readonly kind: 'choice' | 'colour' | 'size' | 'amount' | 'text';
  readonly choices?: readonly string[];
  readonly placeholder?: string;
}

export interface Group {
  readonly title: Text;
  readonly fields: readonly Field[];
}

const property = (name: string, kind: Field['kind'], placeholder = ''): Field => ({
  name: `--pay-invoice-${name}`,
  code: `--pay-invoice-${name}`,
  kind,
  placeholder,
});
const colours = ['accent', 'accent-text', 'text', 'muted', 'surface', 'border', 'danger', 'success'];
const message = (name: string): Field => ({ name: `messages.${name}`, code: `messages.${name}`, kind: 'text' });
const slot = (name: string): Field => ({ name: `slot.${name}`, code: `slot="${name}"`, kind: 'text' });
const choice = (name: string, choices: readonly string[]): Field => ({ name, code: name, kind: 'choice', choices });

/** All states of the gallery except those that change the page's clock, which lasts until the page is reloaded. */
const shownStates = Object.keys(states).filter((name) => states[name]?.twoMinutesLater !== true);

/** All settings of the playground. The first choice of a field is its default. */
export const groups: readonly Group[] = [
  {
    title: 'shown',
    fields: [
      { ...choice('state', ['live', ...shownStates]), code: '' },
      { name: 'width', code: 'max-width', kind: 'size', placeholder: '56rem' },
    ],
  },
  {
    title: 'theOrder',
    fields: [
      { name: 'amount', code: 'amount', kind: 'amount', placeholder: defaultOrder.amount },
      choice('currency', [defaultOrder.currency, 'USD', 'EUR', 'KZT']),
    ],
  },
  {
    title: 'attributes',
    fields: [
      choice('lang', ['', 'en', 'ru', 'kk']),
      choice('theme', ['auto', 'light', 'dark']),
      choice('method', ['', 'SBP', 'CARD', 'BANK_TRANSFER']),
      { name: 'phone-url', code: 'phone-url', kind: 'text', placeholder: 'https://' },
      choice('page-title', ['', 'page-title']),
      choice('auto-continue', ['', 'auto-continue']),
      choice('return-after', ['', '20', '60']),
    ],
  },
  {
    title: 'properties',
    fields: [
      ...colours.map((name) => property(name, 'colour')),
      property('radius', 'size', '1em'),
      property('space', 'size', '1em'),
      property('font-size', 'size', 'medium'),
      property('font', 'text', 'inherit'),
    ],
  },
  { title: 'slots', fields: ['header', 'footer', 'paid', 'failed', 'expired'].map(slot) },
  {
    title: 'wording',
    fields: [
      'widget.name',
      'header.due',
      'options.title',
      'options.continue',
      'paid.title',
      'paid.text',
      'return.link',
    ].map(message),
  },
];

/** Whether a value is valid for a field. An empty value stands for the default. */
export function isValid({ kind, name, choices }: Field, value: string): boolean {
  if (value === '') return true;
  if (kind === 'choice') return choices?.includes(value) === true;
  if (kind === 'amount') return /^[1-9]\d{0,8}\.\d{2}$/.test(value);
  if (kind === 'colour') return isDeclaration('color', value);
  if (kind === 'size') return isDeclaration('width', value);
  return !name.startsWith('--') || isDeclaration('font-family', value);
}

/** Whether a value is one complete CSS value. An unclosed string or comment would continue into the rest of the style sheet. */
function isDeclaration(property: string, value: string): boolean {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`a { ${property}: ${value}; order: 1 }`);
  const [rule, ...others] = sheet.cssRules;
  if (!(rule instanceof CSSStyleRule) || others.length > 0) return false;
  return rule.style.length === 2 && rule.style.getPropertyValue(property) !== '' && rule.style.order === '1';
}
