/** `choose`: the options and a click. `resume`: an invoice that waits already. `wait`: a minute of its waiting. */
export type Scene = 'choose' | 'resume' | 'wait';

export interface Subject {
  readonly id: string;
  readonly title: string;
  /** Its module in `subjects/`; `cdn` is our standalone file as it is published; without one the page has no script. */
  readonly entry?: string;
  /** Another product, from the packages of `test/bench`. */
  readonly isPeer?: boolean;
  /** The scenes that it has. */
  readonly scenes: readonly Scene[];
  /** Whether the click is measured after the options. */
  readonly clicks?: boolean;
  /** The page announces its files, its checkout's JSON, or both by `<link>`. */
  readonly announces?: 'files' | 'files and JSON';
  /** The page has been visited before in the same tab, so that the device remembers its invoice. */
  readonly isSecondVisit?: boolean;
  /** Selects the methods, of which three are shown. */
  readonly options?: string;
  /** Selects the control that requests the requisites of the method that is selected from the start. */
  readonly proceed?: string;
  /** Selects the QR, or what changes while it waits. */
  readonly qr: string;
  /** The body of a page. A server that knows the checkout fills in `{{initial}}`, `{{tag}}`, `{{qr}}` and `{{options}}`. */
  readonly body: (scene: Scene, checkout: string) => string;
}

const ours = {
  entry: 'cdn',
  scenes: ['choose', 'resume'],
  options: '[part~=method]',
  proceed: '[part~=continue]',
  qr: 'svg[part~=qr]',
} as const;

const plain = (checkout: string): string => `<pay-invoice checkout="${checkout}" method="pm_sbp"></pay-invoice>`;
const initial = (checkout: string): string =>
  `<pay-invoice checkout="${checkout}" method="pm_sbp"><script type="application/json">{{initial}}</script></pay-invoice>`;

/** All subjects, in the order in which they are measured. */
export const subjects: readonly Subject[] = [
  {
    ...ours,
    id: 'pay-invoice',
    title: '`<pay-invoice>`',
    scenes: ['choose', 'resume', 'wait'],
    clicks: true,
    body: (_, checkout) => plain(checkout),
  },
  {
    ...ours,
    id: 'pay-invoice-hints',
    title: '`<pay-invoice>`, files and JSON announced',
    announces: 'files and JSON',
    body: (_, checkout) => plain(checkout),
  },
  {
    ...ours,
    id: 'pay-invoice-initial',
    title: '`<pay-invoice>`, `initial` in the page',
    body: (_, checkout) => initial(checkout),
  },
  {
    ...ours,
    id: 'pay-invoice-initial-hints',
    title: '`<pay-invoice>`, `initial`, files announced',
    scenes: ['resume'],
    announces: 'files',
    body: (_, checkout) => initial(checkout),
  },
  {
    ...ours,
    id: 'pay-invoice-remembered',
    title: '`<pay-invoice>`, second visit',
    scenes: ['resume'],
    isSecondVisit: true,
    body: (_, checkout) => plain(checkout),
  },
  {
    ...ours,
    id: 'pay-invoice-server',
    title: '`<pay-invoice>`, rendered on the server',
    body: () => '{{tag}}',
  },
  {
    id: 'lit-floor',
    title: 'floor: a bare Lit element with options',
    entry: 'lit-floor.js',
    scenes: ['choose'],
    clicks: true,
    options: '.option',
    proceed: 'button',
    qr: 'svg',
    body: (_, checkout) => `<lit-floor checkout="${checkout}"></lit-floor>`,
  },
  {
    id: 'lit-floor-qr',
    title: 'floor: a bare Lit element with a QR',
    entry: 'lit-floor-qr.js',
    scenes: ['resume', 'wait'],
    qr: 'svg',
    body: (_, checkout) => `<lit-floor-qr checkout="${checkout}"></lit-floor-qr>`,
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
  },
  {
    id: 'bitcoin-connect',
    title: '@getalby/bitcoin-connect, payment view',
    isPeer: true,
    entry: 'bitcoin-connect.js',
    scenes: ['resume', 'wait'],
    qr: 'canvas',
    body: (_, checkout) => `<bc-payment data-checkout="${checkout}"></bc-payment>`,
  },
  {
    id: 'adyen',
    title: '@adyen/adyen-web, Drop-in and QR view',
    isPeer: true,
    entry: 'adyen.js',
    scenes: ['choose', 'resume', 'wait'],
    clicks: true,
    options: '.adyen-checkout__payment-method',
    proceed: '.adyen-checkout__button--pay',
    qr: 'img[data-testid=promptpay-qr-image]',
    body: (scene) => `<div id="adyen" data-scene="${scene}"></div>`,
  },
  {
    id: 'sl-qr-code',
    title: '@shoelace-style/shoelace, sl-qr-code',
    isPeer: true,
    entry: 'sl-qr-code.js',
    scenes: ['resume'],
    qr: 'canvas',
    body: (_, checkout) => `<div id="qr" data-checkout="${checkout}"></div>`,
  },
  {
    id: 'text-update',
    title: 'floor: a text that changes once a second, and a poll each 2 s',
    entry: 'text-update.js',
    scenes: ['wait'],
    qr: '#left',
    body: (_, checkout) => `<p id="left" data-checkout="${checkout}"></p>`,
  },
];
