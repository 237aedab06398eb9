// An address is normalised where it is read, so that each place has it in the one form in which it leaves: in ASCII, the host in lower
// case, without the port that its protocol has anyway.

/** The http or https address that a text means; undefined for any other text. */
export function readAddress(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.hostname !== '' ? url : undefined;
}

/** The text without the slashes at its end. */
export const withoutEndSlashes = (text: string): string => text.replace(/(?<!\/)\/+$/, '');

/** The address without a slash at its end; undefined unless the text is an http or https address without user, query and fragment. */
export function normalAddress(text: string): string | undefined {
  const url = readAddress(text);
  if (url === undefined || /[?#]/.test(url.href) || url.username !== '' || url.password !== '') return undefined;
  return withoutEndSlashes(url.href);
}

/** An address that a URL parser reads, in ASCII; one that is in ASCII already stays as it is written. */
export function asciiAddress(text: string): string {
  return /^[\x21-\x7e]+$/.test(text) ? text : new URL(text).href;
}

/** The origin as browsers send it; undefined unless the text is an http or https address of one host alone: no pattern of hosts. */
export function normalOrigin(text: string): string | undefined {
  const url = readAddress(text);
  const isHost = url !== undefined && /^(?:[\w.-]+|\[[\da-f:.]+\])$/.test(url.hostname);
  return isHost && normalAddress(text) === url.origin ? url.origin : undefined;
}
