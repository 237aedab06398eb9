// How long a text from outside may be, in UTF-16 code units. Whoever parses such a text takes its limit from here. A longer text is
// refused, or counts as missing where it may be missing.

/** An identifier, a code, a type or a status word; the number of an account, of a card or of a phone. */
export const maxIdentifierLength = 200;

/** The name of a recipient, of a bank or of a payment method. */
export const maxNameLength = 500;

/** A timestamp in RFC 3339 or ISO 8601. */
export const maxTimestampLength = 64;

/** A link of the service or of the merchant. A QR code holds less. */
export const maxLinkLength = 4096;

/** A header that a client may leave out, such as `Accept-Language`. */
const maxHeaderLength = 1000;

/** The description of an order, and the note of a decision. */
export const maxDescriptionLength = 1000;

/** An environment variable, such as an access token. */
export const maxVariableLength = 8192;

/** The value of a header that may be missing; null also for one that is too long. */
export function readHeader(headers: Headers, name: string): string | null {
  const value = headers.get(name);
  return value !== null && value.length <= maxHeaderLength ? value : null;
}
