import { importChunk } from '../../base/import-chunk.ts';
import type * as automaticSteps from './automatic-steps.ts';

/** Loads that file. The browser keeps it; a failed load is tried again by the next call. */
export const loadAutomaticSteps = (): Promise<typeof automaticSteps> =>
  importChunk(() => import('./automatic-steps.ts'));
