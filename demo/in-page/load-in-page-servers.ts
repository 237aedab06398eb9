// Loads the servers that run in the page of a site without servers: about 70 KB, only for the pages that need them.

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
