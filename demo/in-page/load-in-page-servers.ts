// Loads the servers that run in a page of the static site. They have about 70 KB, so only the pages that need them load them.

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
