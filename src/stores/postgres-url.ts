import { z } from 'zod';

/** The URL of a PostgreSQL database, for the option `url` of the store and the variable `DATABASE_URL`. */
export const postgresUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must be a URL such as postgres://user:password@host/database',
});
