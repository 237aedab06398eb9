// A small file that few pages need, and load only then: after a click, where the browser gives no canvas, where a page has loaded
// the widget twice, and where the shop has set links of banks.
export { areBankLinks, createBankTiles } from './bank-tiles.ts';
export { qrAsSvg } from './qr-as-svg.ts';
export { reportSecondCopy } from './report-second-copy.ts';
export { openInBrowserUrl, saveQr } from './save-qr-and-open-in-browser.ts';
