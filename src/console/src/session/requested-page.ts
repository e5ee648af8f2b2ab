const storageKey = 'storefront-console-page';

/** Keeps the page that was requested before someone signed in: the emailed link opens in another tab. */
export function storeRequestedPage(path: string): void {
  localStorage.setItem(storageKey, path);
}

/** The page that was requested, once. */
export function takeRequestedPage(): string {
  const path = localStorage.getItem(storageKey) ?? '/';
  localStorage.removeItem(storageKey);
  return path;
}
