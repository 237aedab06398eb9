import type { Messages } from '../i18n/messages-type.ts';

/**
 * All texts in English: also the package entry `pay-invoice/locales/en`, to change some of them:
 * `element.messages = { ...en, proceed: '…' }`.
 */
export const en: Messages = {
  region: 'Payment',
  due: 'To pay',
  sum: 'Amount',
  test: 'TEST · no money moves',
  close: 'Close',

  loading: 'Loading',
  offline: 'No connection',
  offlineText: 'Check your internet. We keep trying by ourselves.',
  lost: 'Payment not found',
  lostText: 'The link has expired or is wrong. Go back to the shop and start the payment again.',

  choose: 'Payment method',
  unnamed: 'No name',
  enterAmount: 'Amount to pay',
  limits: (min, max) =>
    [min && `from ${min}`, max && `${min === undefined ? 'up ' : ''}to ${max}`].filter(Boolean).join(' '),
  malformed: 'Enter the amount as a number, such as 1500.50',
  outOfLimits: (limits) => `For amounts ${limits}`,
  unavailable: 'Not available now',
  banks: (count) => `Banks: ${count}`,
  noMethods: 'No payment methods for this amount',
  noMethodsText: 'Try again later or ask the shop.',
  proceed: 'Continue',
  twice: 'Do not pay twice',
  twiceText: (amount) =>
    `The invoice for ${amount} is still valid. If you have sent the money, you do not need another.`,
  resume: 'Back to the invoice',

  creating: 'Getting the payment details',
  creatingText: 'This usually takes a few seconds.',
  unknown: 'No answer yet',
  unknownText: 'We are asking again. This takes no money, and you need do nothing.',

  scan: 'Scan the QR code',
  scanText: 'With your phone’s camera or in your bank’s app',
  payByLink: 'Pay by link',
  openApp: 'Open your bank’s app',
  openPage: 'Open the payment page',
  stuck: 'The app did not open?',
  stuckText: 'Open this page in your usual browser, copy the link, or scan the QR code with another phone.',
  copyLink: 'Copy the link',
  qr: 'QR code to pay',
  showQr: 'Continue on your phone',
  phoneText: 'Point your phone’s camera at it: the payment opens there.',
  saveQr: 'Save the QR code',
  transfer: 'Transfer the money',
  transferText: (toBank) => `The exact amount, in one transfer${toBank ? ', to this bank' : ''}.`,
  orTransfer: 'Or transfer the money',
  phone: 'Phone number',
  bank: 'Recipient’s bank',
  holder: 'Recipient',
  card: 'Card number',
  account: 'Account number',
  bik: 'BIK',
  copy: 'Copy',
  copyWhat: (label) => `Copy ${label}`,
  copyAll: 'Copy everything',
  copied: 'Copied',
  copyFailed: 'Could not copy. The text is selected: copy it yourself.',
  timeLeft: 'Time left',
  waiting: 'Waiting for your payment. This page updates by itself.',
  long: 'Your bank may be checking the transfer. Do not send the money again.',
  stale: 'The connection was lost. We keep checking the payment.',
  leave: 'Another payment method',
  checking: 'Time is up, checking your payment',
  checkingText: 'If you have sent the money, just wait. Do not send it again.',

  paid: 'Paid',
  paidText: 'Thank you! The money has arrived.',
  order: 'Order',
  invoice: 'Invoice number',
  print: 'Print',
  failed: 'Payment failed',
  failedText: 'If money was taken, contact the shop and give them the invoice number.',
  expired: 'Time to pay is over',
  expiredText: 'Do not send money to these details any more.',
  check: 'I have paid, check',
  asking: 'Checking',
  again: 'Try again',
  newInvoice: 'New invoice',
  back: 'Back to the shop',

  refused: {
    method_unavailable: 'This method is not available now. Choose another.',
    amount_out_of_limits: 'This method does not take this amount. Choose another.',
    amount_required: 'Enter the amount.',
    amount_mismatch: 'An invoice for another amount came, so we do not show it. Try again.',
    already_paid: 'The order is already paid.',
    other: 'That did not work. No money was taken, try again.',
  },
};

export { en as default };
export type { Messages };
