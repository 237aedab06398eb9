import { importChunk } from '../../base/import-chunk.ts';
import type * as autoContinueAndReturn from './auto-continue-and-return.ts';

/** Imports `auto-continue-and-return.ts`. After a failure the next call imports it again. */
export const loadAutoContinueAndReturn = (): Promise<typeof autoContinueAndReturn> =>
  importChunk(() => import('./auto-continue-and-return.ts'));
