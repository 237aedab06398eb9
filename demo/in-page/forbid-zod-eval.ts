import { config } from 'zod';

/**
 * Forbids zod to call `new Function`, which the pages' security policy blocks. Call it before a module that creates schemas
 * is loaded: this function is in a file of its own, so that it can be.
 */
export function forbidZodEval(): void {
  config({ jitless: true });
}
