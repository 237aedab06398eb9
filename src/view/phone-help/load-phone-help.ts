import { importChunk } from '../../base/import-chunk.ts';
import type * as phoneHelp from './phone-help.ts';

/** Loads that file. The browser keeps it; a failed load is tried again by the next call. */
export const loadPhoneHelp = (): Promise<typeof phoneHelp> => importChunk(() => import('./phone-help.ts'));
