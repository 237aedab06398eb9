import { after } from 'node:test';

/** Resolves with what is being opened. It is closed after the last test of the file, before what is opened later. */
export async function openForFile<T extends { close(): unknown }>(opening: T | Promise<T>): Promise<T> {
  const opened = await opening;
  after(async () => {
    await opened.close();
  });
  return opened;
}
