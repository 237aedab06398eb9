import type { Page } from 'playwright-core';
import { z } from 'zod';

const invoices = z.object({ invoices: z.array(z.object({ id: z.string() })) });

/** Chooses SBP, pays at the sandbox, and waits until both the widget and the page around it report the payment. */
export async function payInPage(page: Page, sandbox: string, id: string, proceed: string): Promise<void> {
  await getInvoice(page, proceed);
  await payNewestInvoice(sandbox);
  await page.locator('pay-invoice').getByRole('heading', { name: 'Paid', exact: true }).waitFor();
  await page.getByText(`Paid ${id}`, { exact: true }).waitFor();
}

/** Chooses SBP, and waits until the widget shows its QR code. */
export async function getInvoice(page: Page, proceed: string): Promise<void> {
  const widget = page.locator('pay-invoice');
  await widget.getByRole('radio', { name: /SBP|СБП/ }).check();
  await widget.getByRole('button', { name: proceed, exact: true }).click();
  await widget.locator('svg[part=qr]').waitFor();
}

export async function payNewestInvoice(sandbox: string): Promise<void> {
  const held: unknown = await (await fetch(`${sandbox}/sandbox/invoices`)).json();
  const [newest] = invoices.parse(held).invoices;
  await fetch(`${sandbox}/sandbox/invoices/${newest?.id ?? ''}/pay`, { method: 'POST' });
}
