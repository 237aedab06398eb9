/** A built file without the link to its source map at the end. */
export function withoutMapLink(code: string): string {
  return code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
}
