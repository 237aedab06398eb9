/** A product of the shop. */
export interface Product {
  readonly sku: string;
  readonly name: { readonly ru: string; readonly en: string };
  /** A decimal string in roubles. */
  readonly price: string;
  /** The name of a drawing in the shop's pages. */
  readonly picture: string;
}

/** The currency of all prices (ISO 4217). */
export const currency = 'RUB';

/** The products. Their prices differ so much that not every payment method fits every order. */
export const catalogue: readonly Product[] = [
  {
    sku: 'postcard',
    name: { ru: 'Открытка «Чайный куст»', en: 'Postcard “Tea bush”' },
    price: '45.00',
    picture: 'leaf',
  },
  { sku: 'sencha', name: { ru: 'Сенча, 50 г', en: 'Sencha, 50 g' }, price: '490.00', picture: 'cup' },
  { sku: 'ivan-chai', name: { ru: 'Иван-чай, 100 г', en: 'Fireweed tea, 100 g' }, price: '359.50', picture: 'flower' },
  { sku: 'cup', name: { ru: 'Пиала', en: 'Tea bowl' }, price: '1500.00', picture: 'bowl' },
  { sku: 'teapot', name: { ru: 'Заварочный чайник', en: 'Teapot' }, price: '4200.00', picture: 'teapot' },
  { sku: 'vase', name: { ru: 'Ваза ручной работы', en: 'Hand-thrown vase' }, price: '18900.00', picture: 'vase' },
  {
    sku: 'set',
    name: { ru: 'Сервиз на двенадцать персон', en: 'Tea set for twelve' },
    price: '124000.00',
    picture: 'set',
  },
  { sku: 'kiln', name: { ru: 'Гончарная печь', en: 'Pottery kiln' }, price: '780000.00', picture: 'kiln' },
];

/** The product with an article number; undefined when there is none. */
export function productOf(sku: string): Product | undefined {
  return catalogue.find((product) => product.sku === sku);
}
