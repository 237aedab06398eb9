/** The path of an installed Firefox: $FIREFOX_PATH or Debian's, or undefined when none is installed. */
export function firefox(): string | undefined;
