/** The texts of the options, and of an invoice that is paid by a QR code or a link. They are in the widget's first file. */
export interface FirstFileMessages {
  /** The name of the whole widget. */
  readonly region: string;
  /** Above the amount, until it is paid. */
  readonly due: string;
  readonly sum: string;
  /** The badge of a test checkout. */
  readonly test: string;
  /** The button that closes the dialog around the checkout. */
  readonly close: string;
  readonly offline: string;
  readonly offlineText: string;
  /** Above the methods; also the name of a method without a name, a code and a known type. */
  readonly choose: string;
  /** The names of the method types SBP, CARD and BANK_TRANSFER, where the service gives no other name. */
  readonly sbp: string;
  readonly toCard: string;
  readonly toAccount: string;
  readonly enterAmount: string;
  /** At least one of the two limits is given. */
  readonly limits: (min: string | undefined, max: string | undefined) => string;
  readonly malformed: string;
  readonly outOfLimits: (limits: string) => string;
  readonly unavailable: string;
  /** The banks of a method: the names of two of them, and how many more there are. */
  readonly banks: (names: string, more: number) => string;
  readonly noMethods: string;
  readonly noMethodsText: string;
  readonly proceed: string;
  readonly creating: string;
  readonly creatingText: string;
  readonly again: string;
  /** It is not known whether an invoice was created. */
  readonly unknown: string;
  readonly unknownText: string;
  readonly scan: string;
  readonly scanText: string;
  /** The heading where a phone opens the bank's app. */
  readonly payInApp: string;
  /** The heading where there is only a link to pay by. */
  readonly payByLink: string;
  readonly openApp: string;
  /** The link beside the QR on a desktop, which leads to the same address. */
  readonly openSbp: string;
  /** The link to the payment page, with the name of its site. */
  readonly openPage: (host: string) => string;
  readonly qr: string;
  readonly showQr: string;
  /** The control that unfolds the QR on a phone. */
  readonly otherDevice: string;
  /** The text above a QR that opens the payment on another device. */
  readonly phoneText: string;
  readonly saveQr: string;
  /** Shown where a browser cannot save files. `canPress`: the QR is an image that the payer can press and hold. */
  readonly saveHint: (canPress: boolean) => string;
  readonly transfer: string;
  readonly timeLeft: string;
  readonly waiting: string;
  readonly paid: string;
  readonly order: string;
  /** A file of the widget did not come: the screen of the current state cannot be shown. */
  readonly late: string;
  readonly lateText: string;
  readonly reload: string;
}

/** The texts of the other screens. They are in the widget's second file. */
export interface SecondFileMessages {
  /** Why an invoice was not created; `other` for every reason without a text of its own. */
  readonly refused: {
    readonly method_unavailable: string;
    readonly amount_out_of_limits: string;
    readonly amount_required: string;
    readonly amount_mismatch: string;
    readonly already_paid: string;
    readonly checkout_closed: string;
    readonly other: string;
  };
  /** Above the methods, while an invoice can still be paid. */
  readonly twice: string;
  readonly twiceText: (amount: string) => string;
  readonly resume: string;
  readonly lost: string;
  readonly lostText: string;
  /** For screen readers, until the checkout is loaded. */
  readonly loading: string;
  readonly stuck: string;
  readonly stuckText: string;
  readonly copyLink: string;
  readonly copyPage: string;
  readonly openBrowser: string;
  /** How to send the money, above all requisites: the amount, the recipient's bank, and the deadline with its time zone. */
  readonly transferText: (amount: string, bank: string | undefined, end: string | undefined) => string;
  /** The heading of the requisites below a QR or a link. */
  readonly orTransfer: string;
  /** The names of the kinds of requisites, where there are several. */
  readonly byPhone: string;
  readonly byCard: string;
  readonly byAccount: string;
  readonly phone: string;
  readonly bank: string;
  readonly holder: string;
  /** Under the recipient of a phone number or a card. */
  readonly holderHint: string;
  readonly card: string;
  readonly account: string;
  readonly bik: string;
  /** The accessible name of a copy button; it contains the label of the value that the button copies. */
  readonly copyWhat: (label: string) => string;
  readonly copyAll: string;
  readonly copied: string;
  readonly copyFailed: string;
  readonly long: string;
  readonly stale: string;
  readonly leave: string;
  readonly checking: string;
  readonly checkingText: string;
  /** The invoice was paid with another amount. */
  readonly amountCheck: string;
  readonly paidText: string;
  readonly invoice: string;
  readonly method: string;
  /** The date and time of the payment. */
  readonly paidAt: string;
  readonly print: string;
  readonly failed: string;
  readonly failedText: string;
  readonly expired: string;
  readonly expiredText: string;
  /** The shop accepts no new payment. The screen shows the number to quote to the shop below this text. */
  readonly closed: string;
  readonly closedText: string;
  readonly check: string;
  /** A check of the payment is running. */
  readonly refreshing: string;
  /** The result of that check, and its time. */
  readonly notReceived: string;
  readonly checkedAt: (time: string) => string;
  readonly newInvoice: string;
  /** The question whether the money was sent, and the button of a payer who has not sent it: it requests a new invoice. */
  readonly alreadySent: string;
  readonly notSent: string;
  readonly back: string;
  /** The countdown after which the page goes back to the shop, and the button that stops it. */
  readonly returning: (seconds: number) => string;
  readonly stay: string;
}

/**
 * Every text that a payer can see or hear: strings, and functions where a text contains a value. Amounts and times are
 * passed already formatted. A merchant may replace any of them (the element's `messages`).
 */
export interface Messages extends FirstFileMessages, SecondFileMessages {}

/** Texts that replace texts of a catalogue. All other texts stay, also the other texts inside `refused`. */
export type MessageOverrides = Partial<
  Omit<Messages, 'refused'> & { readonly refused: Partial<SecondFileMessages['refused']> }
>;

/** A catalogue that has all `FirstFileMessages`, and may lack some `SecondFileMessages`. */
export type LoadedMessages = FirstFileMessages & MessageOverrides;

/** A catalogue in which `overrides` replace some texts. */
export const overrideMessages = (messages: LoadedMessages, overrides?: MessageOverrides): LoadedMessages => ({
  ...messages,
  ...overrides,
  refused: { ...messages.refused, ...overrides?.refused },
});
