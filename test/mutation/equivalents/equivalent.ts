/** Changes of a module that no test has to notice, because nobody could: what they change, and why nothing follows. */
export interface Equivalent {
  readonly module: string;
  /** A part of the changed line. */
  readonly line: string;
  /** What is changed there, or its beginning. */
  readonly was: string;
  /** What is put there instead; any change where it is left out. */
  readonly became?: string;
  readonly why: string;
}
