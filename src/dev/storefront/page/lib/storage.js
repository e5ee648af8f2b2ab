/** What outlasts a page. Browsers that block cookies throw where it is read: it then lasts as long as the page. */
export const storage = findStorage('localStorage');

/** What lasts as long as the tab. */
export const tabStorage = findStorage('sessionStorage');

function findStorage(name) {
  try {
    return window[name];
  } catch {
    const items = new Map();
    return {
      getItem: (key) => items.get(key) ?? null,
      setItem: (key, value) => items.set(key, value),
      removeItem: (key) => items.delete(key),
    };
  }
}
