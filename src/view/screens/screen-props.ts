import type { nothing, TemplateResult } from 'lit';
import type { PaymentOption } from '../../checkout-api.ts';
import type { QrImage } from '../../base/qr-modules.ts';
import type { Translator } from '../../i18n.ts';

// What a screen gets besides the checkout state: what it shows, and what the payer can do on it.

/** Renders a link for each bank to pay `link` there. */
export type BankTiles = (link: string, t: Translator) => TemplateResult | typeof nothing;

/** A value that can be copied. */
export interface Copyable {
  /** The name of the value, for the `pay-invoice-copied` event. */
  readonly field: string;
  /** The name of the value on the screen. */
  readonly label: string;
  /** The value without spaces between groups. */
  readonly text: string;
}

/** The result of the last copy. */
export interface CopyResult extends Omit<Copyable, 'label'> {
  readonly ok: boolean;
}

/** Links for a payer whose browser did not open a link. */
export interface AppLaunchHelp {
  /** The address at which this checkout opens on another device. */
  readonly phoneUrl: string | undefined;
  /** A link that opens the page in the phone's browser. */
  readonly browserUrl: string | undefined;
}

/** The QR of a waiting invoice, and how the device can use it. */
export interface QrProps {
  /** The address in the QR; undefined where none is shown. */
  readonly qrLink: string | undefined;
  /** Undefined until the QR is drawn. */
  readonly qrImage: QrImage | undefined;
  /** What shows the QR in place of a canvas, where the browser gives none. */
  readonly qrElement: ((image: QrImage, width: number, name: string) => TemplateResult) | undefined;
  /** Whether the device can open a bank's app. If so, the link comes first and the QR second. */
  readonly touch: boolean;
}

/** What has come of a click on a link to a bank's app, or out of a frame. */
export interface AppLaunchState {
  /** `opening` until the payer is back, or until it is clear that nothing opened; undefined without a click. */
  readonly phase: 'opening' | 'opened' | 'failed' | undefined;
  /** Whether the link leads to an app. */
  readonly isApp: boolean;
  /** Whether a spinner shows that the bank's answer is awaited. */
  readonly isSpinning: boolean;
  /** What helps where nothing has opened; undefined until that is known. */
  readonly help: AppLaunchHelp | undefined;
}

/** The time left until a deadline, in ms. */
export interface TimeLeft {
  /** Undefined where no time is shown: without a deadline, or while the deadline is not certain. */
  readonly remainingMs: number | undefined;
  /** The full length of the progress bar; undefined without a deadline. */
  readonly totalMs: number | undefined;
}

/** What the screens of the second file show besides the state. */
export interface PaymentScreenProps {
  /** The time left of a waiting invoice. */
  readonly time: TimeLeft;
  readonly appLaunch: AppLaunchState;
  /** Whether the payer is asked if the money was already sent, before a new invoice is requested. */
  readonly isConfirming: boolean;
  readonly copyResult: CopyResult | undefined;
  /** The banks of the shop; undefined without any, and until their file has come. */
  readonly bankTiles: BankTiles | undefined;
  /** The address at which the payment can be continued on another device. */
  readonly otherDeviceUrl: string | undefined;
  /** Whether the QR that the payer asked for could not be drawn: the file that draws it has not come. */
  readonly isQrMissing: boolean;
  /** Set when the QR could not be saved: the URL of a PNG to press and hold, or '' where no image can be shown. */
  readonly qrPicture: string | undefined;
  /** How long an invoice has been created, in ms, in steps of ten seconds; 0 while none is. */
  readonly creatingMs: number;
  /** Whether a check that the payer requested is running. */
  readonly isChecking: boolean;
  /** The result of the last check; '' without one. */
  readonly checkResult: string;
  /** The seconds until the page goes back to the shop; undefined while no countdown runs. */
  readonly returnSeconds: number | undefined;
  /** Whether requisites of the last invoice may have been shown, and not only a QR code or a link. */
  readonly hadRequisites: boolean;
}

/** What the name of a payment method is derived from. */
export interface NamedMethod {
  readonly type: string;
  readonly name?: string | undefined;
  readonly code?: string | undefined;
}

/** What the payer can do on the screens of the first file. */
export interface FirstFileHandlers {
  /** The merchant's own name for a method; undefined for none. */
  readonly methodName: (method: NamedMethod) => string | undefined;
  /** Returns false if the page does not allow this method. */
  readonly select: (option: PaymentOption) => boolean;
  readonly setAmount: (text: string) => void;
  /** The payer has left the field for the amount. */
  readonly checkAmount: () => void;
  readonly createInvoice: (event: Event) => void;
  /** A link to a bank's app (`toApp`) or to a payment page was clicked. */
  readonly openLink: (toApp: boolean) => void;
}

/** What the payer can do on a screen. */
export interface Handlers extends FirstFileHandlers {
  /** Reads the checkout again: nothing of it is shown, or it has no methods. */
  readonly reload: () => void;
  /** Asks the backend whether the money has arrived. */
  readonly refresh: () => void;
  readonly resumeInvoice: () => void;
  readonly dismissInvoice: () => void;
  readonly retry: () => void;
  readonly showQr: () => void;
  /** The QR was unfolded or folded. */
  readonly unfoldQr: () => void;
  readonly saveQr: () => void;
  /** `shown` is the node that displays the value: it is selected where copying fails. */
  readonly copy: (value: Copyable, shown: Node | null | undefined) => void;
  readonly print: () => void;
  /** Stops the countdown of `return-after`. */
  readonly stay: () => void;
}
