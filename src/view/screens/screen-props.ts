import type { TemplateResult } from 'lit';
import type { PaymentOption } from '../../protocol.ts';
import type { QrImage } from '../qr/qr-drawing.ts';

// What a screen gets besides the checkout state: what it shows, and what the payer can do on it.

/** Something that can be copied. */
export interface Copyable {
  /** The name of the value, for the `pay-invoice-copied` event. */
  readonly field: string;
  /** The value without spaces between groups. */
  readonly text: string;
}

/** The result of the last copy. */
export interface CopyResult extends Copyable {
  readonly ok: boolean;
}

/** Where a payer can go whose browser did not open a bank's app. */
export interface AppLaunchHelp {
  /** The address at which this checkout opens on another device. */
  readonly phoneUrl: string | undefined;
  /** A link that opens the page in the phone's browser. */
  readonly browserUrl: string | undefined;
}

/** What the QR, copying and the device add to the screens of an invoice. */
export interface DeviceModel {
  /** The address in the QR, where one is shown; its image is loaded later. */
  readonly qrLink: string | undefined;
  /** The address at which the payment can be continued on another device. */
  readonly otherDeviceUrl: string | undefined;
  readonly qrImage: QrImage | undefined;
  /** The device can open a bank's app: the link comes first and the QR second. */
  readonly touch: boolean;
  /** The address of the QR as a PNG to press long, once it was to be saved; '' where only a screenshot keeps it. */
  readonly qrPicture: string | undefined;
  /** What to do where a link to a bank's app did nothing; undefined while nothing says so. */
  readonly appLaunchHelp: AppLaunchHelp | undefined;
  readonly copyResult: CopyResult | undefined;
  /** The time zone in which times are written; undefined for that of the device, which a server does not know. */
  readonly timeZone: string | undefined;
}

/** What the screens of an invoice show besides the state. */
export interface PaymentModel extends DeviceModel {
  /** A check that the payer asked for is running. */
  readonly isChecking: boolean;
  /** What came of the last check; '' where nothing is known of one. */
  readonly checkResult: string;
  /** The countdown after which the page goes back to the shop. */
  readonly returnCountdown: TemplateResult | undefined;
}

/** What a payment method may be named by. */
export interface NamedMethod {
  readonly type: string;
  readonly name?: string | undefined;
  readonly code?: string | undefined;
}

/** What the payer can do before there is an invoice. */
export interface OptionsHandlers {
  /** The merchant's own name for a method. */
  readonly methodName: (method: NamedMethod) => string | undefined;
  /** Returns false where the page does not allow this method. */
  readonly select: (option: PaymentOption) => boolean;
  readonly setAmount: (text: string) => void;
  readonly createInvoice: (event: Event) => void;
  readonly resumeInvoice: () => void;
  readonly refresh: () => void;
}

/** What the payer can do on a screen. */
export interface Handlers extends OptionsHandlers {
  readonly dismissInvoice: () => void;
  readonly retry: () => void;
  /** `shown` is the node that displays the value: it is selected where copying fails. */
  readonly copy: (value: Copyable, shown: Node | null | undefined) => void;
  /** A link to a bank's app (`toApp`) or to a payment page was clicked. */
  readonly openLink: (toApp: boolean) => void;
  readonly showQr: () => void;
  /** The QR was unfolded or folded. */
  readonly unfoldQr: () => void;
  readonly saveQr: () => void;
  readonly print: () => void;
}
