import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** The signed requests of examples/webhook-vectors.json. A receiver must accept the valid ones and reject all others. */
export const { secret, vectors } = z
  .object({
    secret: z.string(),
    vectors: z.array(
      z.object({
        title: z.string(),
        valid: z.boolean(),
        /** The receiver's clock, in seconds since 1970. */
        now: z.number(),
        headers: z.record(z.string(), z.string()),
        body: z.string(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync('examples/webhook-vectors.json', 'utf8')));

/** Returns the headers of a request that is sent at `seconds`. The signature follows the Standard Webhooks specification. */
export function signedHeaders(id: string, body: string, seconds: number, key = secret): Record<string, string> {
  const signature = createHmac('sha256', Buffer.from(key.replace('whsec_', ''), 'base64'))
    .update(`${id}.${seconds}.${body}`)
    .digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` };
}
