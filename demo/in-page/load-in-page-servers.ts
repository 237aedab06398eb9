// The servers that run in the page where the site has none: some 70 KB, loaded only by the pages that need them.

/** Loads the shop's server, with the checkout backend and the sandbox behind it. */
export async function loadInPageShopServer() {
  await forbidEval();
  return import('./in-page-shop-server.ts');
}

/** Loads the checkout backend alone, with the sandbox behind it. */
export async function loadInPageCheckoutBackend() {
  await forbidEval();
  return import('./in-page-checkout-backend.ts');
}

async function forbidEval(): Promise<void> {
  const { forbidZodEval } = await import('./forbid-zod-eval.ts');
  forbidZodEval();
}
