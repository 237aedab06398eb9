import { html, nothing } from 'lit';
import { bankLinkTo, isBankLink, maxBankLinks, type BankLinks } from '../base/bank-links.ts';
import { isForeign } from './screens/method-texts.ts';
import type { BankTiles } from './screens/screen-props.ts';

// The links of banks that the shop has set: a payer on a phone chooses his bank.

/** The key of the name of the last bank in the device's storage. */
const storageKey = 'pay-invoice-bank';

/** The name of the bank that was chosen last on this device; null where none was, or the storage is blocked. */
function readLastBank(): string | null {
  try {
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

function storeLastBank(name: string): void {
  try {
    localStorage.setItem(storageKey, name);
  } catch {
    // Where the storage is blocked or full, the banks keep the shop's order.
  }
}

/**
 * The banks of the shop, with the one that was chosen last on this device first. That order stays: what is on the screen keeps its
 * place. Links that are not safe are not shown.
 *
 * @param onOpen - called when a link was clicked
 */
export function createBankTiles(bankLinks: BankLinks, onOpen: () => void): BankTiles {
  const lastBank = readLastBank();
  const banks = Object.entries(bankLinks)
    .filter(([, template]) => isBankLink(template))
    .sort(([a], [b]) => Number(b === lastBank) - Number(a === lastBank))
    .slice(0, maxBankLinks);
  const onClick = (name: string): void => {
    storeLastBank(name);
    onOpen();
  };
  return (link, t) =>
    banks[0]
      ? html`<div part="actions" class="field" role="group" aria-labelledby="banks">
          <small id="banks" class="muted">${t.m('link.banks')}</small>
          <div class="banks">
            ${banks.map(
              ([name, template]) =>
                html`<a
                  part="button"
                  href=${bankLinkTo(link, template)}
                  rel="noopener noreferrer"
                  lang=${isForeign(name, t) ? 'ru' : nothing}
                  @click=${() => onClick(name)}
                  >${name}</a
                >`,
            )}
          </div>
        </div>`
      : nothing;
}

/** Whether all links of banks are safe to follow and lead to the payment. */
export const areBankLinks = (bankLinks: BankLinks): boolean => Object.values(bankLinks).every(isBankLink);
