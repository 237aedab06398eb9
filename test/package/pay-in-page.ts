import type { Page } from 'playwright-core';
import { z } from 'zod';
import { waitForUpdate } from '../support/wait-for-update.ts';

const invoices = z.object({ invoices: z.array(z.object({ id: z.string() })) });

/** Chooses SBP, pays in the sandbox, and waits until the widget and the page around it report the payment. */
export async function payInPage(page: Page, sandbox: string, id: string, continueLabel: string): Promise<void> {
  await requestInvoice(page, continueLabel);
  await payNewestInvoice(sandbox);
  await page.locator('pay-invoice').getByRole('heading', { name: 'Paid', exact: true }).waitFor();
  await page.getByText(`Paid ${id}`, { exact: true }).waitFor();
}

/**
 * Chooses SBP, and waits until the widget shows its QR code. Clicks only once the element has rendered: a click on a server's
 * markup requests no invoice.
 */
export async function requestInvoice(page: Page, continueLabel: string): Promise<void> {
  const widget = page.locator('pay-invoice');
  await waitForUpdate(page);
  await widget.getByRole('radio', { name: /SBP|СБП/ }).check();
  await widget.getByRole('button', { name: continueLabel, exact: true }).click();
  const qr = widget.locator('svg[part=qr]');
  await qr.waitFor().catch(async (cause: unknown) => {
    const text = await widget.evaluate((element) => element.shadowRoot?.textContent);
    throw new Error(`the widget shows no QR, but: ${text ?? ''}`, { cause });
  });
}

export async function payNewestInvoice(sandbox: string): Promise<void> {
  const response: unknown = await (await fetch(`${sandbox}/sandbox/invoices`)).json();
  const [newestInvoice] = invoices.parse(response).invoices;
  await fetch(`${sandbox}/sandbox/invoices/${newestInvoice?.id ?? ''}/pay`, { method: 'POST' });
}
