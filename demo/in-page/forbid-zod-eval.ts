import { config } from 'zod';

/**
 * Keeps zod from calling `new Function`, which the pages' security policy blocks. Call it before a module that creates schemas
 * is loaded. It has a file of its own, because `await import('zod')` would bring all of zod, which asks at once whether it may.
 */
export function forbidZodEval(): void {
  config({ jitless: true });
}
