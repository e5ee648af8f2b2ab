import type { Tenant } from '../tenants/index.ts';

const charactersMax = 1000;

/**
 * A path that stays on the storefront wherever it is put, or null. `//evil.example` and `/\evil.example` leave it, and
 * so does what a browser drops while it reads an address: tabs and line ends.
 */
export function safePath(path: string | null | undefined): string | null {
  if (!path || path.length > charactersMax) return null;
  return /^\/(?![/\\])[^\\\p{Cc}\s]*$/u.test(path) ? path : null;
}

/** The path of an address that lies on the store's own storefront; null for any other. */
export function pathOnStorefront({ storefrontUrl }: Tenant, address: string | null | undefined): string | null {
  if (!address || !URL.canParse(address)) return null;
  const url = new URL(address);
  const isOnStorefront = url.origin === new URL(storefrontUrl).origin && url.username === '' && url.password === '';
  return isOnStorefront ? safePath(url.pathname + url.search) : null;
}
