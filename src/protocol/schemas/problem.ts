import { z } from 'zod';
import { decimal } from '../../contract/decimal.ts';
import { problemCodes } from '../problem-codes.ts';

/** A problem document, RFC 9457 (docs/checkout-api.md, "Errors"). */
export const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(problemCodes),
    detail: z.string().optional(),
    min_amount: decimal.optional(),
    max_amount: decimal.optional(),
    trace_id: z.string().optional(),
  })
  .meta({ id: 'Problem', description: 'A problem document, RFC 9457.' });
export type Problem = z.output<typeof problem>;
