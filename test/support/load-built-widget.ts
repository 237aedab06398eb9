/** The names of the files that the built widget loads lazily. */
const lazyFiles = Object.keys(import.meta.glob('../../dist/cdn/pay-invoice.*-*.js')).map((path) =>
  path.replace(/^.*\//, ''),
);

/**
 * Loads the built widget into the page, with all files that it would load lazily: no test depends on the speed of the server.
 * Imports them by their whole addresses, to which Vite adds nothing, so that the page has one copy of each file.
 * @param folder The path at which the page's server has the files of dist/cdn.
 * @returns what pay-invoice.js exports
 */
export async function loadBuiltWidget(folder: string): Promise<object> {
  const importFile = (name: string): Promise<object> => import(/* @vite-ignore */ `${location.origin}${folder}${name}`);
  const widget = await importFile('pay-invoice.js');
  await Promise.all(lazyFiles.map(importFile));
  return widget;
}
