import { mkdirSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

/** Keeps a picture of the whole page in `.screens`, where a person asks for it by the variable KEEP_PICTURES. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  if (!process.env['KEEP_PICTURES']) return;
  mkdirSync('.screens', { recursive: true });
  writeFileSync(`.screens/${name}.png`, await page.screenshot({ fullPage: true }));
}
