import { config } from 'zod';

/**
 * Forbids zod to call `new Function`, which the pages' security policy blocks. Call it before a module that creates schemas
 * is loaded; this is why it is a module of its own.
 */
export function avoidEval(): void {
  config({ jitless: true });
}
