/**
 * `choose`: a page with options, and a click. `resume`: a page whose invoice already exists and has a QR. `requisites`: one whose
 * invoice has only requisites.
 */
export const scenes = ['choose', 'resume', 'requisites'] as const;
export type Scene = (typeof scenes)[number];

/** A page that the bench measures: the widget, a peer, or a floor. */
export interface Subject {
  readonly id: string;
  readonly title: string;
  /** The module in `subjects/`; `cdn`: the widget's file for a CDN; undefined: the page has no script. */
  readonly entry?: string;
  /** Another product, from the packages of `test/bench`. */
  readonly isPeer?: boolean;
  /** The scenes in which the subject can be measured. */
  readonly scenes: readonly Scene[];
  /** Whether the click is measured after the options. */
  readonly hasClick?: boolean;
  /** Whether the page announces the checkout's JSON by `<link>`, as the snippet for merchants does. */
  readonly announcesJson?: boolean;
  /** Selects the payment methods; the page shows three. */
  readonly optionsSelector?: string;
  /** Selects the button that requests an invoice for the method that is selected at first. */
  readonly continueSelector?: string;
  /** Selects the QR. */
  readonly qrSelector: string;
  /** Renders the body of a page. The bench's server replaces `{{initial}}`, `{{tag}}`, `{{qr}}` and `{{options}}` in it. */
  readonly renderBody: (scene: Scene, checkout: string) => string;
}

const widgetSubject = {
  entry: 'cdn',
  scenes: ['choose', 'resume'],
  optionsSelector: '[part~=method]',
  continueSelector: '[part~=continue]',
  qrSelector: '[part~=qr]',
} as const;

/** The light markup inside the tag, and the widget that takes its place. */
const markupSelectors = { optionsSelector: '.method, [part~=method]', qrSelector: 'svg[role=img]' } as const;

const renderPlainTag = (checkout: string): string =>
  `<pay-invoice checkout="${checkout}" method="pm_sbp"></pay-invoice>`;
const renderTagWithInitial = (checkout: string): string =>
  `<pay-invoice checkout="${checkout}" method="pm_sbp"><script type="application/json">{{initial}}</script></pay-invoice>`;

/** All subjects, in the order in which they are measured. */
export const subjects: readonly Subject[] = [
  {
    ...widgetSubject,
    id: 'pay-invoice',
    title: '`<pay-invoice>`',
    scenes: ['choose', 'resume', 'requisites'],
    hasClick: true,
    renderBody: (_, checkout) => renderPlainTag(checkout),
  },
  {
    ...widgetSubject,
    id: 'pay-invoice-hints',
    title: '`<pay-invoice>`, JSON announced',
    announcesJson: true,
    renderBody: (_, checkout) => renderPlainTag(checkout),
  },
  {
    ...widgetSubject,
    id: 'pay-invoice-initial',
    title: '`<pay-invoice>`, `initial` in the page',
    renderBody: (_, checkout) => renderTagWithInitial(checkout),
  },
  {
    ...widgetSubject,
    ...markupSelectors,
    id: 'pay-invoice-server',
    title: '`<pay-invoice>`, rendered on the server',
    renderBody: () => '{{tag}}',
  },
  {
    id: 'pay-page',
    title: 'the pay page, `/pay/{capability}`',
    entry: 'cdn',
    scenes: ['choose', 'resume'],
    ...markupSelectors,
    renderBody: () => '', // The package renders the whole page.
  },
  {
    id: 'lit-floor',
    title: 'floor: a bare Lit element with options',
    entry: 'lit-floor.js',
    scenes: ['choose'],
    hasClick: true,
    optionsSelector: '.option',
    continueSelector: 'button',
    qrSelector: 'svg',
    renderBody: (_, checkout) => `<lit-floor checkout="${checkout}"></lit-floor>`,
  },
  {
    id: 'lit-floor-qr',
    title: 'floor: a bare Lit element with a QR',
    entry: 'lit-floor-qr.js',
    scenes: ['resume'],
    qrSelector: 'svg',
    renderBody: (_, checkout) => `<lit-floor-qr checkout="${checkout}"></lit-floor-qr>`,
  },
  {
    id: 'static-html',
    title: 'floor: static HTML, inline SVG',
    scenes: ['choose', 'resume'],
    optionsSelector: 'label',
    continueSelector: 'button',
    qrSelector: 'svg',
    renderBody: (scene) =>
      scene === 'resume' ? '{{qr}}' : '<form method="post">{{options}}<button>Continue</button></form>',
  },
  {
    id: 'adyen',
    title: '@adyen/adyen-web, Drop-in and QR view',
    isPeer: true,
    entry: 'adyen.js',
    scenes: ['choose', 'resume'],
    hasClick: true,
    optionsSelector: '.adyen-checkout__payment-method',
    continueSelector: '.adyen-checkout__button--pay',
    qrSelector: 'img[data-testid=promptpay-qr-image]',
    renderBody: (scene) => `<div id="adyen" data-scene="${scene}"></div>`,
  },
];
