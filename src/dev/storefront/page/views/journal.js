import { storefront } from '../lib/api.js';
import { el } from '../lib/element.js';
import { day, store } from '../lib/store.js';

const types = ['article', 'recipe'];

/** The store's articles. */
export async function journalView() {
  const lists = await Promise.all(types.map((type) => storefront.listEntries(type, { limit: 50 })));
  const entries = lists
    .flatMap((list) => list.entries)
    .toSorted((one, other) => other.published_at.localeCompare(one.published_at));
  return {
    title: `Journal · ${store.name}`,
    node: el(
      'div',
      { class: 'narrow' },
      el('h1', {}, 'Journal'),
      el(
        'div',
        { class: 'entries' },
        entries.map(({ type, slug, title, summary }) =>
          el(
            'a',
            { class: 'entry', href: `/journal/${slug}?type=${type}` },
            el('strong', {}, title),
            el('span', {}, summary),
          ),
        ),
      ),
    ),
  };
}

export async function entryView({ slug }, query) {
  const type = types.includes(query.get('type')) ? query.get('type') : 'article';
  const { entry } = await storefront.getEntry(type, slug);
  return {
    title: `${entry.title} · ${store.name}`,
    node: el(
      'article',
      { class: 'narrow prose' },
      el('p', { class: 'crumb' }, el('a', { href: '/journal' }, 'Journal')),
      el('h1', {}, entry.title),
      el('p', { class: 'soft' }, [entry.author, day(entry.published_at)].filter(Boolean).join(', ')),
      entry.summary && el('p', { class: 'lead' }, entry.summary),
      blocksOf(entry.body.value),
    ),
  };
}

/** The part of Markdown that this store uses: paragraphs, numbered lists and bold words. */
function blocksOf(markdown) {
  return markdown
    .trim()
    .split(/\n{2,}/)
    .map((block) => {
      const items = block.split(/^\d+\. /m).slice(1);
      return items.length > 0
        ? el(
            'ol',
            {},
            items.map((item) => el('li', {}, inline(item))),
          )
        : el('p', {}, inline(block));
    });
}

const inline = (text) => text.split('**').map((part, index) => (index % 2 === 1 ? el('strong', {}, part) : part));
