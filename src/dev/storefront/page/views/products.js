import { recordEvent } from '../lib/analytics.js';
import { storefront } from '../lib/api.js';
import { el } from '../lib/element.js';
import { money, store } from '../lib/store.js';

/** All products, or those of one category. */
export async function productsView({ category }) {
  const { products } = await storefront.listProducts({ limit: 100, sort: 'name' });
  recordEvent('page_viewed', { properties: { path: location.pathname } });
  const categories = [...new Set(products.flatMap(({ category }) => category ?? []))].toSorted();
  const shown = category ? products.filter((product) => product.category === category) : bestFirst(products);
  const chip = (href, name, isCurrent) => el('a', { href, 'aria-current': isCurrent && 'page' }, name);
  return {
    title: category ? `${nameOf(category)} · ${store.name}` : store.name,
    node: [
      category
        ? el('h1', { class: 'page-title' }, nameOf(category))
        : el(
            'section',
            { class: 'hero' },
            el('h1', {}, store.theme.tagline ?? store.name),
            el('p', {}, deliveryLine()),
          ),
      el(
        'nav',
        { class: 'chips', 'aria-label': 'Categories' },
        chip('/', 'Everything', !category),
        categories.map((name) => chip(categoryPath(name), nameOf(name), name === category)),
      ),
      shelf(shown),
    ],
  };
}

/** Search results: products first, then articles. */
export async function searchView(_, query) {
  const q = query.get('q') ?? '';
  document.getElementById('q').value = q;
  const { results, mode } = await storefront.search({ q, limit: 24 });
  recordEvent('search_performed', { properties: { q, results: results.length } });
  const products = results.flatMap(({ product }) => product ?? []);
  const entries = results.filter((result) => result.type === 'content' && result.entry_type !== 'announcement');
  return {
    title: `${q} · ${store.name}`,
    node: [
      el('h1', { class: 'page-title' }, `“${q}”`),
      el(
        'p',
        { class: 'soft' },
        results.length === 0
          ? 'No results. Try another word.'
          : mode === 'semantic'
            ? 'Found by words and by meaning.'
            : 'Found by words.',
      ),
      shelf(products),
      entries.length > 0 &&
        el(
          'section',
          { class: 'entries' },
          el('h2', {}, 'From the journal'),
          entries.map((entry) =>
            el(
              'a',
              { class: 'entry', href: `/journal/${entry.slug}?type=${entry.entry_type}` },
              el('strong', {}, entry.title),
              el('span', {}, entry.snippet.split('\n')[0]),
            ),
          ),
        ),
    ].filter(Boolean),
  };
}

function shelf(products) {
  return el(
    'ul',
    { class: 'shelf' },
    products.map((product) => el('li', {}, card(product))),
  );
}

function card({
  slug,
  name,
  images: [image],
  price_cents: price,
  compare_at_cents: before,
  in_stock: inStock,
  subscription_intervals: rhythms,
}) {
  return el(
    'a',
    { class: 'card', href: `/products/${slug}` },
    el(
      'span',
      { class: 'picture' },
      image && el('img', { src: image.url, alt: '', loading: 'lazy', width: 400, height: 400 }),
    ),
    el('span', { class: 'name' }, name),
    el(
      'span',
      { class: 'price' },
      money(price),
      before > price && [' ', el('s', {}, money(before))],
      rhythms.length > 0 && el('small', {}, 'or by subscription'),
      !inStock && el('small', {}, 'sold out'),
    ),
  );
}

/** Bestsellers come first. */
function bestFirst(products) {
  const rank = ({ tags }) => (tags.includes('bestseller') ? 0 : 1);
  return products.toSorted((one, other) => rank(one) - rank(other));
}

function deliveryLine() {
  const free = store.shipping?.options.find((option) => option.free_over_cents !== null);
  return free ? `Free delivery from ${money(free.free_over_cents)}.` : '';
}

/** A category is any text. */
export const categoryPath = (category) => `/categories/${encodeURIComponent(category)}`;

export const nameOf = (slug) => slug.charAt(0).toUpperCase() + slug.slice(1).replaceAll('-', ' ');
