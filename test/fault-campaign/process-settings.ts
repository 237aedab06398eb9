import { z } from 'zod';
import { defects } from './defects.ts';
import { killPoints } from './kill-points.ts';

/** What a process of the shop is told when it starts. */
export const processSettings = z.object({
  epoch: z.number(),
  place: z.object({ dataDir: z.string(), databaseUrl: z.string().optional() }),
  serviceUrl: z.string(),
  token: z.string(),
  endpoint: z.string(),
  kill: z.object({ point: z.enum(killPoints), nth: z.number(), afterMs: z.number() }).nullable(),
  defect: z.enum(defects).nullable(),
});
export type ProcessSettings = z.output<typeof processSettings>;

/** What a process says: where it listens, that it dies, that it could not start, or a line of its log. */
export const processMessage = z.union([
  z.object({ port: z.number() }),
  z.object({ dies: z.enum(killPoints) }),
  z.object({ failed: z.string() }),
  z.object({ log: z.string(), level: z.string(), facts: z.string() }),
]);
export type ProcessMessage = z.output<typeof processMessage>;
