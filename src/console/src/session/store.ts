const storageKey = 'storefront-console-store';

export const storeOfUrl = (): string | null => new URLSearchParams(location.search).get('store');

/** The slug of the store to sign in to: of the URL, or the last one. */
export function findStore(): string {
  return storeOfUrl() ?? localStorage.getItem(storageKey) ?? '';
}

export function storeLastStore(slug: string): void {
  localStorage.setItem(storageKey, slug);
}

/** Names the store that a request is for. */
export const storeHeader = 'x-tenant-slug';

let storeOfPage: string | undefined;

/** The store that this page shows. It stays when someone signs in to another one in another tab. */
export const findStoreOfPage = (): string | undefined => storeOfPage;

export function setStoreOfPage(slug: string | undefined): void {
  storeOfPage = slug;
}
