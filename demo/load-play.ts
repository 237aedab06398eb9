/** Fetches the shop's server as it plays in a page: some 70 KB that no other page needs. */
export async function loadPlayedShop() {
  await prepare();
  return import('./play/shop.ts');
}

/** Fetches the merchant's backend alone, as it plays in a page. */
export async function loadPlayedBackend() {
  await prepare();
  return import('./play/backend.ts');
}

async function prepare(): Promise<void> {
  const { avoidEval } = await import('./play/zod-without-eval.ts');
  avoidEval();
}
