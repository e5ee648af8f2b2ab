import { ApiError } from '/client.js';
import { el } from './element.js';
import { errorMessageOf } from './error-message.js';

/** @typedef {{ title: string, node: Node | readonly unknown[], leave?: () => void }} View */

/** @type {{ pattern: RegExp, open: (parts: Record<string, string>, query: URLSearchParams) => Promise<View> }[]} */
const routes = [];
let leaveCurrent = () => undefined;
let turn = 0;
/** The URL of the current view, without a fragment. */
let shown;

/** Register the view of a path: `/products/:slug`. */
export function route(path, open) {
  routes.push({ pattern: new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}$`), open });
}

/** Navigate to another view, or show the current one as it has become: it stays where it was scrolled to. */
export function go(url, { replace = false } = {}) {
  // For the back button.
  if (!replace) history.replaceState({ scrollY }, '');
  history[replace ? 'replaceState' : 'pushState'](null, '', url);
  return render({ top: replace ? scrollY : 0 });
}

/** Show the view of the current URL, and follow links within the store without reloading the page. */
export function start() {
  addEventListener('popstate', ({ state }) => {
    // A link to a part of the view, such as the one that skips the header, leaves what is entered in it.
    if (location.pathname + location.search !== shown) void render({ top: state?.scrollY });
  });
  // The browser has kept the page as it was when another one was opened, and much may have changed there.
  addEventListener('pageshow', ({ persisted }) => persisted && render({ top: scrollY }));
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || link.target || link.origin !== location.origin || link.hash) return;
    event.preventDefault();
    void go(link.href);
  });
  return render({ isFirst: true });
}

async function render({ isFirst = false, top = 0 } = {}) {
  const own = (turn += 1);
  shown = location.pathname + location.search;
  const main = document.getElementById('main');
  leaveCurrent();
  leaveCurrent = () => undefined;
  main.setAttribute('aria-busy', 'true');
  const view = await open().catch((error) => ({
    title: error.code === 'not_found' ? 'Not found' : 'Something went wrong',
    node: el(
      'div',
      { class: 'narrow' },
      el('h1', {}, error.code === 'not_found' ? 'Not found' : 'That did not work'),
      el('p', { role: 'alert' }, errorMessageOf(error)),
      el('p', {}, el('a', { class: 'button', href: '/' }, 'Back to the store')),
    ),
  }));
  if (own !== turn) return view.leave?.();
  leaveCurrent = view.leave ?? leaveCurrent;
  document.title = view.title;
  main.replaceChildren(...[view.node].flat());
  main.removeAttribute('aria-busy');
  if (isFirst) return;
  scrollTo(0, top);
  // Focus the heading, so that a screen reader announces the new view.
  const heading = main.querySelector('h1') ?? main;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

async function open() {
  for (const { pattern, open } of routes) {
    const match = pattern.exec(location.pathname);
    if (match) return open(decoded(match.groups ?? {}), new URLSearchParams(location.search));
  }
  throw notFound();
}

/** The parts of a path: each was encoded by itself, because it may contain every character, also a slash. */
function decoded(parts) {
  try {
    return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, decodeURIComponent(part)]));
  } catch {
    throw notFound();
  }
}

const notFound = () => new ApiError('not_found', 'This page does not exist.');
