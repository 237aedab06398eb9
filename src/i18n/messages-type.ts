// The texts that a payer can see or hear. A language is one JSON file of these keys, without functions.

/**
 * A text, or its plural forms by the categories of `Intl.PluralRules`. A name in braces is replaced by a value: "{amount}".
 * Amounts and times are already formatted.
 */
export type Message = string | PluralMessage;

/** The plural forms of a text with a number. `other` is used where the category has no form of its own. */
interface PluralMessage extends Partial<Record<Intl.LDMLPluralRule, string>> {
  readonly other: string;
}

/** The texts of the options, and of an invoice that is paid by a QR code or a link. They are in the widget’s first file. */
export interface FirstFileMessages {
  /** The name of the whole widget. */
  readonly 'widget.name': Message;
  /** Above the amount, until it is paid. */
  readonly 'header.due': Message;
  /** Above the amount, where nothing is to be paid now; beside the field for an amount that the payer types. */
  readonly 'header.amount': Message;
  /** Above the amount, once it is paid; also in the title of a page in the background. */
  readonly 'header.paid': Message;
  /** Before the remaining time. */
  readonly 'header.time-left': Message;
  /** The badge of a test checkout. */
  readonly 'header.test': Message;
  /** Before the number of the order. */
  readonly 'header.order': Message;
  /** Above the methods; also the name of a method that has none. */
  readonly 'options.title': Message;
  /** The button that asks for an invoice. A page's own text for it stands for every method. */
  readonly 'options.continue': Message;
  /** What it says for SBP, and for a transfer to a card or an account. */
  readonly 'options.pay-by-sbp': Message;
  readonly 'options.transfer': Message;
  /** The names of the types SBP, CARD and BANK_TRANSFER, where the service gives no other name. */
  readonly 'method.sbp': Message;
  readonly 'method.card': Message;
  readonly 'method.bank-transfer': Message;
  readonly 'method.unavailable': Message;
  /** The amount is below the least amount of the method. */
  readonly 'method.min': Message;
  /** The amount is above the largest amount of the method. */
  readonly 'method.max': Message;
  /** Before the names of the banks, for screen readers. */
  readonly 'method.banks': Message;
  /** The invoice is being created. */
  readonly 'creating.title': Message;
  /** The headings of an invoice that waits to be paid, by what the payer does. */
  readonly 'waiting.sbp': Message;
  readonly 'waiting.page': Message;
  /** Above a QR code, on a desktop. */
  readonly 'qr.scan': Message;
  /** The name of the image. */
  readonly 'qr.name': Message;
  /** Before the link below a QR code, on a desktop. */
  readonly 'qr.not-scanning': Message;
  /** The main button on a phone. */
  readonly 'link.open-app': Message;
  /** The address in the QR code as a link. */
  readonly 'link.open-sbp': Message;
  /** The link to the payment page. */
  readonly 'link.open-page': Message;
  /** After a link, for screen readers. */
  readonly 'link.new-tab': Message;
  /** A file of the widget did not come: the screen of the current state cannot be shown. */
  readonly 'file-late.title': Message;
  readonly 'file-late.text': Message;
  readonly 'file-late.reload': Message;
}

/** The texts of the other screens. They are in the widget’s second file. */
interface SecondFileMessages {
  /** The limits below the field. */
  readonly 'amount.range': Message;
  readonly 'amount.min': Message;
  readonly 'amount.max': Message;
  /** The first request got no answer: the payer’s connection. */
  readonly 'unreachable.title': Message;
  readonly 'unreachable.text': Message;
  /** The shop’s server answered with an error, or not readably. */
  readonly 'unreachable.shop-title': Message;
  readonly 'unreachable.shop-text': Message;
  /** The button that repeats what failed. */
  readonly 'action.try-again': Message;
  /** No method takes the amount. */
  readonly 'options.none-title': Message;
  readonly 'options.none-text': Message;
  /** The invoice is being created. */
  readonly 'creating.text': Message;
  /** How long it has taken, such as "0:20". */
  readonly 'creating.elapsed': Message;
  /** It is not known yet whether an invoice was created. */
  readonly 'creating.slow-title': Message;
  readonly 'creating.slow-text': Message;
  /** After a minute without an answer. The payer may go back to the methods. */
  readonly 'creating.no-answer-text': Message;
  /** In place of the two texts before, when the payer has seen an earlier invoice, which he may have paid. */
  readonly 'creating.earlier-text': Message;
  /** For screen readers, until the checkout is loaded. */
  readonly 'loading.announcement': Message;
  /** The checkout does not exist, or not any more. */
  readonly 'lost.title': Message;
  readonly 'lost.gone': Message;
  readonly 'lost.text': Message;
  /** The server answered that there were too many requests. */
  readonly 'unreachable.busy-title': Message;
  readonly 'unreachable.busy-text': Message;
  /** The page is shown in a frame that forbids it to reach the shop. */
  readonly 'unreachable.frame-title': Message;
  readonly 'unreachable.frame-text': Message;
  /** The server’s answer cannot be read. */
  readonly 'unreachable.unreadable-title': Message;
  readonly 'unreachable.unreadable-text': Message;
  /** The amount is missing; `limits` is one of `amount.range`, `amount.min` and `amount.max`. */
  readonly 'amount.enter': Message;
  /** The amount cannot be read, or may mean thousands: `example` is 1500.01 as the language writes it, without separators of thousands. */
  readonly 'amount.form': Message;
  readonly 'amount.too-small': Message;
  readonly 'amount.too-large': Message;
  /** The amount has more digits after the point than its currency; `step` is the smallest amount, such as ¥1. */
  readonly 'amount.step': Message;
  /** Why an invoice was not created, by the code of the problem. */
  readonly 'refused.method_unavailable': Message;
  readonly 'refused.amount_out_of_limits': Message;
  readonly 'refused.amount_required': Message;
  readonly 'refused.amount_mismatch': Message;
  readonly 'refused.already_paid': Message;
  readonly 'refused.checkout_closed': Message;
  readonly 'refused.rate_limited': Message;
  /** Any other problem. */
  readonly 'refused.other': Message;
  /** Any other problem, when the payer has seen an earlier invoice, which he may have paid. */
  readonly 'refused.again': Message;
  /** Above the methods, while an earlier invoice can still be paid. */
  readonly 'dismissed.title': Message;
  readonly 'dismissed.text': Message;
  readonly 'dismissed.back': Message;
  /** The headings of an invoice that is paid by a transfer. */
  readonly 'waiting.phone-number': Message;
  readonly 'waiting.card': Message;
  readonly 'waiting.account': Message;
  /** The heading of the requisites below a QR code or a link. */
  readonly 'waiting.or-transfer': Message;
  /** The status line after a long wait. */
  readonly 'waiting.slow': Message;
  readonly 'waiting.connection-lost': Message;
  /** The shop’s server answers with errors. */
  readonly 'waiting.shop-silent': Message;
  /** The shop’s server answers that there are too many requests. */
  readonly 'waiting.busy': Message;
  readonly 'waiting.unreadable': Message;
  /** The shop’s server answers that there is no such checkout, though it was shown. */
  /** The invoice service does not tell the shop whether the money has arrived. */
  readonly 'waiting.service-late': Message;
  readonly 'waiting.connection-restored': Message;
  readonly 'waiting.other-method': Message;
  /** The status line while nothing is wrong. */
  readonly 'waiting.status': Message;
  /** The status line of an invoice that has only a QR code or a link; `time` is its deadline. */
  readonly 'waiting.status-until': Message;
  /** The status after the payer has opened the bank's app. */
  readonly 'waiting.bank': Message;
  /** For screen readers; `left` is "15 minutes". */
  readonly 'deadline.left': Message;
  /** Beside a QR code on a wide screen: what the payer does, a line for each step. */
  readonly 'qr.steps': Message;
  /** Above the links of banks, below the button that opens any of them. */
  readonly 'link.banks': Message;
  readonly 'qr.save': Message;
  /** Where a browser cannot save files. */
  readonly 'qr.save-by-press': Message;
  readonly 'qr.save-by-screenshot': Message;
  /** Unfolds the QR code on a phone. */
  readonly 'qr.show': Message;
  /** Shows a QR code that opens the payment on a phone. */
  readonly 'qr.continue-on-phone': Message;
  /** Above that QR code. */
  readonly 'qr.pay-on-phone': Message;
  /** After a click on a link that seems to have opened nothing: no app, or no page from a frame. */
  readonly 'app-link.not-opened': Message;
  /** The link to the bank's app once it was opened. */
  readonly 'link.open-app-again': Message;
  readonly 'app-link.not-opened-text': Message;
  readonly 'app-link.open-browser': Message;
  readonly 'app-link.copy': Message;
  /** Above how to send the money, where no money may be sent. */
  readonly 'transfer.test': Message;
  /** How to send the money. */
  readonly 'transfer.rule': Message;
  readonly 'transfer.rule-until': Message;
  /** The names of the kinds of requisites, where there are several. */
  readonly 'transfer.by-phone': Message;
  readonly 'transfer.by-card': Message;
  readonly 'transfer.by-account': Message;
  readonly 'requisite.phone': Message;
  readonly 'requisite.card': Message;
  readonly 'requisite.account': Message;
  readonly 'requisite.bik': Message;
  readonly 'requisite.bank': Message;
  /** Under the recipient’s bank. */
  readonly 'requisite.bank-hint': Message;
  readonly 'requisite.recipient': Message;
  /** Under the recipient of a phone number or a card. */
  readonly 'requisite.recipient-hint': Message;
  /** The name of a copy button. */
  readonly 'copy.value': Message;
  readonly 'copy.all': Message;
  readonly 'copy.done': Message;
  /** For screen readers. */
  readonly 'copy.done-value': Message;
  readonly 'copy.failed': Message;
  /** Asks whether the money has arrived. */
  readonly 'check.button': Message;
  readonly 'check.running': Message;
  /** The result of that check, and its time. */
  readonly 'check.not-received': Message;
  readonly 'check.checked-at': Message;
  /** After them: within how many seconds the page looks again by itself, and then again. */
  readonly 'check.again': Message;
  /** The deadline has passed, and the payment is checked. */
  readonly 'time-up.title': Message;
  readonly 'time-up.text': Message;
  /** Asks for a new invoice. */
  readonly 'pay-again.button': Message;
  /** Asked before a new invoice, and its two answers. */
  readonly 'pay-again.question': Message;
  readonly 'pay-again.yes': Message;
  readonly 'pay-again.no': Message;
  /** Another amount than that of the invoice was paid. */
  readonly 'other-amount.title': Message;
  readonly 'other-amount.text': Message;
  readonly 'other-amount.refresh': Message;
  /** The label above the amount says that it is paid: this heading says that the money is there, and the text what comes next. */
  readonly 'paid.title': Message;
  readonly 'paid.text': Message;
  /** For screen readers. */
  readonly 'paid.announcement': Message;
  readonly 'paid.print': Message;
  readonly 'failed.title': Message;
  readonly 'failed.text': Message;
  readonly 'expired.title': Message;
  readonly 'expired.text': Message;
  /** The invoice had a QR code or a link, and no requisites. */
  readonly 'expired.link-text': Message;
  /** The shop accepts no new payment. */
  readonly 'closed.title': Message;
  readonly 'closed.text': Message;
  /** The number of the payment at the service, by which the shop finds it. */
  readonly 'receipt.payment': Message;
  readonly 'receipt.method': Message;
  readonly 'receipt.date': Message;
  /** The link to the shop. */
  readonly 'return.link': Message;
  /** The same link while a countdown runs. */
  readonly 'return.link-in': Message;
  /** For screen readers. The categories of `seconds` are those of Intl.PluralRules. */
  readonly 'return.announcement': Message;
  /** The button that stops the countdown. */
  readonly 'return.stay': Message;
}

/** The texts of the dialog around the checkout: they are in the entry `pay-invoice/dialog`. */
interface DialogMessages {
  /** The button that closes it. */
  readonly 'dialog.close': Message;
}

export type MessageKey = keyof Messages;

/** All texts of a language. */
export interface Messages extends FirstFileMessages, SecondFileMessages, DialogMessages {}

/** Texts that replace texts of a catalogue; all other texts stay. */
export type MessageOverrides = Partial<Messages>;

/** A catalogue that has all `FirstFileMessages`, and may lack some `SecondFileMessages`. */
export type LoadedMessages = FirstFileMessages & MessageOverrides;
