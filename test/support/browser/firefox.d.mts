import type { Page } from 'puppeteer-core';

/** The path of an installed Firefox: $FIREFOX_PATH or Debian's, or undefined when none is installed. */
export function firefox(): string | undefined;

/** Sets the size of a page in Firefox. */
export function setViewportOf(page: Page, size: { readonly width: number; readonly height: number }): Promise<void>;
