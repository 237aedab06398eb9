import { importChunk } from '../../base/import-chunk.ts';
import type * as phoneHelp from './phone-help.ts';

/** Imports `phone-help.ts`. After a failure the next call imports it again. */
export const loadPhoneHelp = (): Promise<typeof phoneHelp> => importChunk(() => import('./phone-help.ts'));
