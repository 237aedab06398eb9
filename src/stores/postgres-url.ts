import { z } from 'zod';

const urlRule = 'must be a URL such as postgres://user:password@host/database';

/** The URL of a PostgreSQL database, for the option `url` of the store and the variable `DATABASE_URL`. */
export const postgresUrl = z
  .string(urlRule)
  // A # ends what is read of a URL: a part of the password would be the host.
  .regex(/^[^#]*$/, { error: 'must have no #: write %23 in its password', abort: true })
  .pipe(z.url({ protocol: /^postgres(ql)?$/, error: urlRule }));
