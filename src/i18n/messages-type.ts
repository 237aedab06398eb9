/**
 * Every text that a payer can see or hear: strings, and functions where a text contains a value. Amounts and times are
 * passed already formatted. A merchant may replace any of them (the element's `messages`).
 */
export interface Messages {
  /** The name of the whole widget. */
  readonly region: string;
  /** Stands over the amount, before and after it was paid. */
  readonly due: string;
  readonly sum: string;
  /** Marks a checkout that moves no money. */
  readonly test: string;
  /** Closes the dialog that the checkout is in. */
  readonly close: string;

  readonly loading: string;
  readonly offline: string;
  readonly offlineText: string;
  readonly lost: string;
  readonly lostText: string;

  readonly choose: string;
  /** Stands in for a method or a bank that came without a name. */
  readonly unnamed: string;
  readonly enterAmount: string;
  /** At least one of the two is there. */
  readonly limits: (min: string | undefined, max: string | undefined) => string;
  readonly malformed: string;
  readonly outOfLimits: (limits: string) => string;
  readonly unavailable: string;
  readonly banks: (count: number) => string;
  readonly noMethods: string;
  readonly noMethodsText: string;
  readonly proceed: string;
  readonly twice: string;
  readonly twiceText: (amount: string) => string;
  readonly resume: string;

  readonly creating: string;
  readonly creatingText: string;
  readonly unknown: string;
  readonly unknownText: string;

  readonly scan: string;
  readonly scanText: string;
  /** Heads the ways to pay that are links; on a desktop, where no bank's app opens, the link of the QR is called so. */
  readonly payByLink: string;
  readonly openApp: string;
  readonly openPage: string;
  readonly stuck: string;
  readonly stuckText: string;
  readonly copyLink: string;
  readonly qr: string;
  readonly showQr: string;
  /** Beside the QR that leads to another device. */
  readonly phoneText: string;
  readonly saveQr: string;
  readonly transfer: string;
  /** `toBank`: the requisites name the bank. */
  readonly transferText: (toBank: boolean) => string;
  /** Over the requisites when a QR or a link comes first. */
  readonly orTransfer: string;
  readonly phone: string;
  readonly bank: string;
  readonly holder: string;
  readonly card: string;
  readonly account: string;
  readonly bik: string;
  readonly copy: string;
  /** What a copy button is called: the word on it and the label of what it copies. */
  readonly copyWhat: (label: string) => string;
  readonly copyAll: string;
  readonly copied: string;
  readonly copyFailed: string;
  readonly timeLeft: string;
  readonly waiting: string;
  readonly long: string;
  readonly stale: string;
  readonly leave: string;
  readonly checking: string;
  readonly checkingText: string;
  /** The invoice was paid over another amount. */
  readonly amountCheck: string;

  readonly paid: string;
  readonly paidText: string;
  readonly order: string;
  readonly invoice: string;
  readonly print: string;
  readonly failed: string;
  readonly failedText: string;
  readonly expired: string;
  readonly expiredText: string;
  readonly check: string;
  readonly asking: string;
  readonly again: string;
  readonly newInvoice: string;
  /** Asked before a new invoice is requested, and the answer that requests it. */
  readonly alreadySent: string;
  readonly notSent: string;
  readonly back: string;

  /** Why requisites could not be had; `other` for everything that has no text of its own. */
  readonly refused: {
    readonly method_unavailable: string;
    readonly amount_out_of_limits: string;
    readonly amount_required: string;
    readonly amount_mismatch: string;
    readonly already_paid: string;
    readonly other: string;
  };
}
