/** What a request says before its body; a `Request` is one. */
export interface RequestHead {
  readonly method: string;
  readonly headers: Pick<Headers, 'get' | 'has'>;
}

/** An answer that is known at once, and has no body. */
export interface QuickAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}
