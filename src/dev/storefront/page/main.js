import { settings, storefront } from './lib/api.js';
import { readCart, watchCart } from './lib/cart.js';
import { el } from './lib/element.js';
import { go, route, start } from './lib/router.js';
import { applyTheme, store } from './lib/store.js';
import { accountView, signInView } from './views/account.js';
import { cartView } from './views/cart.js';
import { entryView, journalView } from './views/journal.js';
import { orderView } from './views/order.js';
import { productView } from './views/product.js';
import { productsView, searchView } from './views/products.js';
import { restoreView } from './views/restore.js';

route('/', productsView);
route('/categories/:category', productsView);
route('/search', searchView);
route('/products/:slug', productView);
route('/cart', cartView);
route('/cart/restore', restoreView);
route('/order', orderView);
route('/account', accountView);
route('/account/sign-in', signInView);
route('/journal', journalView);
route('/journal/:slug', entryView);

applyTheme();
document.getElementById('brand').append(store.name);
document.getElementById('search').addEventListener('submit', (event) => {
  event.preventDefault();
  const q = new FormData(event.target).get('q').trim();
  if (q) void go(`/search?q=${encodeURIComponent(q)}`);
});
watchCart((cart) => {
  const count = document.getElementById('cart-count');
  count.hidden = !cart?.itemCount;
  count.textContent = cart?.itemCount ?? '';
});
document.getElementById('foot').append(
  el('div', {}, el('p', { class: 'brand' }, store.name), el('p', {}, store.theme.tagline)),
  el(
    'nav',
    { 'aria-label': 'More' },
    Object.entries(store.links)
      .filter(([, href]) => isWebUrl(href))
      .map(([name, href]) => el('a', { href }, name.charAt(0).toUpperCase() + name.slice(1))),
  ),
  el(
    'div',
    { class: 'counter' },
    el('p', {}, 'A demonstration: nothing is charged or sent. Demo tools:'),
    el(
      'nav',
      { 'aria-label': 'Demo tools' },
      settings.backstage.map(({ name, url }) => el('a', { href: url, target: '_blank', rel: 'noopener' }, name)),
    ),
  ),
);
/** A store's links are its own to fill, also with what is no link, or would run. */
function isWebUrl(href) {
  return URL.canParse(href) && ['https:', 'http:'].includes(new URL(href).protocol);
}

await Promise.all([start(), readCart().catch(() => undefined), announce()]);

async function announce() {
  const {
    entries: [entry],
  } = await storefront.listActiveAnnouncements().catch(() => ({ entries: [] }));
  if (!entry) return;
  const bar = document.getElementById('announcement');
  bar.textContent = entry.title;
  bar.hidden = false;
}
