/** What a request says before its body; a `Request` is one. */
export interface RequestHead {
  readonly method: string;
  readonly headers: Pick<Headers, 'get' | 'has'>;
}

/** An answer without a body of its own making: small, whole, and known at once. */
export interface QuickAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}
