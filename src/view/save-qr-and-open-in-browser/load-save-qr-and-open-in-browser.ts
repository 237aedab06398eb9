import { importChunk } from '../../base/import-chunk.ts';
import type * as chunk from './save-qr-and-open-in-browser.ts';

/** Imports `save-qr-and-open-in-browser.ts`. After a failure the next call imports it again. */
export const loadSaveQrAndOpenInBrowser = (): Promise<typeof chunk> =>
  importChunk(() => import('./save-qr-and-open-in-browser.ts'));
