// The servers that run in the page where the site has none: some 70 KB, loaded only by the pages that need them.

/** Loads the shop's server, with the checkout backend and the sandbox behind it. */
export async function loadInPageShop() {
  await prepare();
  return import('./in-page/in-page-shop-server.ts');
}

/** Loads the checkout backend alone, with the sandbox behind it. */
export async function loadInPageBackend() {
  await prepare();
  return import('./in-page/in-page-checkout-backend.ts');
}

async function prepare(): Promise<void> {
  const { avoidEval } = await import('./in-page/zod-without-eval.ts');
  avoidEval();
}
