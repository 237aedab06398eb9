import { z } from 'zod';
import { defects } from './defects.ts';
import { killPoints } from './kill-points.ts';

/** The settings that a process of the shop reads when it starts. */
export const processSettings = z.object({
  epoch: z.number(),
  database: z.object({ dataDir: z.string(), databaseUrl: z.string().optional() }),
  serviceUrl: z.string(),
  token: z.string(),
  endpoint: z.string(),
  kill: z.object({ point: z.enum(killPoints), nth: z.number(), afterMs: z.number() }).nullable(),
  defect: z.enum(defects).nullable(),
});
export type ProcessSettings = z.output<typeof processSettings>;

/** A message of a process: its port, the point at which it is killed, why it could not start, or a line of its log. */
export const processMessage = z.union([
  z.object({ port: z.number() }),
  z.object({ killedAt: z.enum(killPoints) }),
  z.object({ failed: z.string() }),
  z.object({ log: z.string(), level: z.string(), facts: z.string() }),
]);
export type ProcessMessage = z.output<typeof processMessage>;
