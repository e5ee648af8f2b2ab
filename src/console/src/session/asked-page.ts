const storageKey = 'storefront-console-page';

/** Keeps the page that was asked for before someone signed in: the emailed link opens in another tab. */
export function storeAskedPage(path: string): void {
  localStorage.setItem(storageKey, path);
}

/** The page that was asked for, once. */
export function takeAskedPage(): string {
  const path = localStorage.getItem(storageKey) ?? '/';
  localStorage.removeItem(storageKey);
  return path;
}
