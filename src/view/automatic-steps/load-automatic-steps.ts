import { importChunk } from '../../base/import-chunk.ts';
import type * as automaticSteps from './automatic-steps.ts';

/** Imports `automatic-steps.ts`. After a failure the next call imports it again. */
export const loadAutomaticSteps = (): Promise<typeof automaticSteps> =>
  importChunk(() => import('./automatic-steps.ts'));
