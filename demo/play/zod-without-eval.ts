import { config } from 'zod';

/** To be called before any schema is made: zod would try `new Function`, which the pages' security policy refuses. */
export function avoidEval(): void {
  config({ jitless: true });
}
