import type { PayInvoiceElement } from '../../src/element.ts';
import { until } from './widget-from-source.ts';

/** The tag that the dialog shows. It is on the page, and not in the dialog's shadow tree. */
export const findWidget = (): PayInvoiceElement | null => document.querySelector('.pay-invoice-dialog > pay-invoice');

/** The native dialog, also one that is not open; undefined where the page has none. */
export function findDialog(): HTMLDialogElement | undefined {
  return [...document.body.children]
    .map((child) => child.shadowRoot?.querySelector('dialog'))
    .find((found) => found instanceof HTMLDialogElement);
}

export async function waitForOpenDialog(): Promise<HTMLDialogElement> {
  await until('a dialog', () => findDialog()?.open === true);
  const dialog = findDialog();
  if (dialog === undefined) throw new Error('no dialog');
  return dialog;
}
