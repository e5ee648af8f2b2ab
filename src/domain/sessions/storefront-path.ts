import type { Tenant } from '../tenants/index.ts';

const charactersMax = 1000;

/**
 * The path if it stays on the storefront wherever it is used, else null. Browsers follow `//evil.example` and
 * `/\evil.example` to another site, also when tabs or line breaks, which they ignore, stand in between.
 */
export function safePath(path: string | null | undefined): string | null {
  if (!path || path.length > charactersMax) return null;
  return /^\/(?![/\\])[^\\\p{Cc}\s]*$/u.test(path) ? path : null;
}

/** The path of a URL on the store's own storefront; null for any other URL. */
export function pathOnStorefront({ storefrontUrl }: Tenant, address: string | null | undefined): string | null {
  if (!address || !URL.canParse(address)) return null;
  const url = new URL(address);
  const isOnStorefront = url.origin === new URL(storefrontUrl).origin && url.username === '' && url.password === '';
  return isOnStorefront ? safePath(url.pathname + url.search) : null;
}
