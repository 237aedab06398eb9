/** What a page of the bench shows: methods to choose from, or an invoice that waits to be paid. */
export type Scene = 'choose' | 'resume';

export interface Subject {
  readonly id: string;
  readonly title: string;
  /** Its module in `subjects/`; `cdn` is our standalone file as it is published; without one the page has no script. */
  readonly entry?: string;
  /** The scenes that it has. */
  readonly scenes: readonly Scene[];
  /** Selects the methods, of which three are shown. */
  readonly options?: string;
  /** Selects what asks for the requisites of the method that is selected from the start. */
  readonly proceed?: string;
  /** Selects the QR, or what changes while it waits. */
  readonly qr: string;
  /** The body of a page whose scene is known and whose checkout is made for it. */
  readonly body: (scene: Scene, checkout: string) => string;
  /** The page is written by a server that knows the checkout: `{{initial}}`, `{{qr}}` and `{{options}}` are filled in. */
  readonly filled?: boolean;
  /** Whether the waiting is measured. */
  readonly waits: boolean;
}

const ours = {
  entry: 'cdn',
  scenes: ['choose', 'resume'],
  options: '[part~=method]',
  proceed: '[part~=continue]',
  qr: 'svg[part~=qr]',
} as const;

/** In the order in which they take turns. */
export const subjects: readonly Subject[] = [
  {
    ...ours,
    id: 'pay-invoice',
    title: '`<pay-invoice>`',
    body: (_, checkout) => `<pay-invoice checkout="${checkout}" method="pm_sbp"></pay-invoice>`,
    waits: true,
  },
  {
    ...ours,
    id: 'pay-invoice-initial',
    title: '`<pay-invoice>`, `initial` in the page',
    body: (_, checkout) =>
      `<pay-invoice checkout="${checkout}" method="pm_sbp"><script type="application/json">{{initial}}</script></pay-invoice>`,
    filled: true,
    waits: false,
  },
  {
    id: 'lit-floor',
    title: 'floor: a bare Lit element',
    entry: 'lit-floor.js',
    scenes: ['choose', 'resume'],
    options: '.option',
    proceed: 'button',
    qr: 'svg',
    body: (_, checkout) => `<lit-floor checkout="${checkout}"></lit-floor>`,
    waits: true,
  },
  {
    id: 'static-html',
    title: 'floor: static HTML, inline SVG',
    scenes: ['choose', 'resume'],
    options: 'label',
    proceed: 'button',
    qr: 'svg',
    body: (scene) =>
      scene === 'resume' ? '{{qr}}' : '<form method="post">{{options}}<button>Continue</button></form>',
    filled: true,
    waits: true,
  },
  {
    id: 'bitcoin-connect',
    title: '@getalby/bitcoin-connect, payment view',
    entry: 'bitcoin-connect.js',
    scenes: ['resume'],
    qr: 'canvas',
    body: (_, checkout) => `<bc-payment data-checkout="${checkout}"></bc-payment>`,
    waits: true,
  },
  {
    id: 'adyen',
    title: '@adyen/adyen-web, Drop-in and QR view',
    entry: 'adyen.js',
    scenes: ['choose', 'resume'],
    options: '.adyen-checkout__payment-method',
    proceed: '.adyen-checkout__button--pay',
    qr: 'img[data-testid=promptpay-qr-image]',
    body: (scene) => `<div id="adyen" data-scene="${scene}"></div>`,
    waits: true,
  },
  {
    id: 'sl-qr-code',
    title: '@shoelace-style/shoelace, sl-qr-code',
    entry: 'sl-qr-code.js',
    scenes: ['resume'],
    qr: 'canvas',
    body: (_, checkout) => `<div id="qr" data-checkout="${checkout}"></div>`,
    waits: false,
  },
  {
    id: 'text-update',
    title: 'floor: a text that changes once a second',
    entry: 'text-update.js',
    scenes: [],
    qr: '#left',
    body: () => '<p id="left"></p>',
    waits: true,
  },
];
