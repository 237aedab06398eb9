/** Why the database cannot be opened, in one line; the program should not start. */
export class DatabaseOpenError extends Error {
  override readonly name = 'DatabaseOpenError';
}
