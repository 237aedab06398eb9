// How long a text from outside may be, in UTF-16 code units; a body, in bytes. Whoever parses such a text takes its limit from here. A longer
// text is refused, or counts as missing where it may be missing; the message of an error is cut.

/** An identifier, a code, a type or a status word; the number of an account, of a card or of a phone. */
export const maxIdentifierLength = 200;

/** The name of a recipient, of a bank or of a payment method. */
export const maxNameLength = 500;

/** A timestamp in RFC 3339 or ISO 8601. */
export const maxTimestampLength = 64;

/** A link of the service or of the merchant. A QR code holds less. */
export const maxLinkLength = 4096;

/** A header that a client may leave out, such as `Accept-Language`. */
export const maxHeaderLength = 1000;

/** The description of an order, and the note of a decision. */
export const maxDescriptionLength = 1000;

/** The metadata of an order as JSON. A response of FetchInvoices has the metadata of up to a hundred invoices. */
export const maxMetadataLength = 8192;

/** The message of an error of the service: what is longer is cut off. */
export const maxMessageLength = 500;

/** The name of the shop. */
export const maxShopNameLength = 100;

/** An environment variable, such as an access token. */
export const maxVariableLength = 8192;

/** The body of a request. */
export const maxRequestBytes = 16 * 1024;

/** The body of a form of the pay page. */
export const maxFormBytes = 4096;

/** A checkout, which the widget reads. Checkouts are far shorter. */
export const maxCheckoutBytes = 512 * 1024;

/** A response of the service. The parser of JSON takes up to 50 ms for so many bytes. */
export const maxResponseBytes = 768 * 1024;

/** A response of the service that is an error. */
export const maxErrorBytes = 64 * 1024;

/** The value of a header that may be missing; null also for one that is too long. */
export function readHeader(headers: Headers, name: string): string | null {
  const value = headers.get(name);
  return value !== null && value.length <= maxHeaderLength ? value : null;
}
