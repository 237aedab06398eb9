/** The path of an installed Firefox: $FIREFOX_PATH or Debian's; undefined where there is none. */
export function firefox(): string | undefined;
