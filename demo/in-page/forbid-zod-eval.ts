import { config } from 'zod';

/**
 * Keeps zod from calling `new Function`, which the pages' security policy blocks. Call it before a module that creates schemas
 * is loaded, which is why it has a file of its own.
 */
export function forbidZodEval(): void {
  config({ jitless: true });
}
