import { z } from 'zod';
import { decimalPattern } from '../base/decimal.ts';

/**
 * An exact decimal number as a string, such as `"1500.00"` (invoice-service.md §2: amounts). It is carried byte
 * for byte and compared by value; it never becomes a float. No sign but `-`, no exponent, no bare dot.
 */
export const decimal = z
  .string()
  .regex(decimalPattern, 'must be a decimal number in a string, such as "100.00"')
  .meta({ id: 'Decimal', description: 'An exact decimal number as a string.', examples: ['1500.00'] });
