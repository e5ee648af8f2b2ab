import { closed } from '#src/lib/schema.ts';
import { EntryInput, saveEntry } from '../../content/index.ts';
import { normalisePromoCode, PromoCodeInput, savePromoCode } from '../../promotions/index.ts';
import { defineImportKind, type TableFormat } from '../import-kind.ts';
import { definedFields, withoutFields } from './cells.ts';
import { flatTable } from './flat-table.ts';
import { saveEach } from './save-each.ts';

const entryTable = flatTable({
  required: ['type', 'slug', 'title'],
  texts: ['type', 'slug', 'title', 'summary', 'author', 'starts_at', 'ends_at', 'published_at'],
  tags: ['tags'],
  others: ['body', 'body_format', 'image_url', 'image_alt'],
});

/** A row for each entry; its body and image have columns of their own. */
const contentTable: TableFormat = {
  ...entryTable,
  columnsOf: { 'body/format': 'body_format', 'image/url': 'image_url', 'image/alt': 'image_alt' },
  valueOf(rows, ctx) {
    const [{ body, body_format: format, image_url: url, image_alt: alt } = {}] = rows;
    return definedFields({
      ...entryTable.valueOf(rows, ctx),
      body: body ? { format: format || 'markdown', value: body } : undefined,
      image: url ? definedFields({ url, alt: alt || undefined }) : undefined,
    });
  },
};

export const importContent = defineImportKind({
  name: 'content',
  area: 'content',
  tables: { csv: contentTable },
  schema: closed(EntryInput),
  auditedAs: 'content',
  save: (ctx, entries, mode) =>
    saveEach(ctx, entries, mode, {
      kind: 'content',
      nameOf: ({ type, slug }) => `${type}/${slug}`,
      save: (entry) => saveEntry(ctx, entry),
    }),
});

/** What an export of promo codes has besides. */
const usage = ['used', 'created_at'];

export const importPromoCodes = defineImportKind({
  name: 'promo_codes',
  area: 'promotions',
  tables: {
    csv: flatTable({
      required: ['code', 'type'],
      texts: ['code', 'type', 'starts_at', 'ends_at'],
      numbers: ['value', 'value_cents', 'min_subtotal_cents', 'usage_limit', 'per_customer_limit'],
      lists: ['products'],
      others: usage,
    }),
  },
  schema: closed(PromoCodeInput),
  readLine: (line) => withoutFields(line, usage),
  auditedAs: 'promo_code',
  save: (ctx, promos, mode) =>
    saveEach(ctx, promos, mode, {
      kind: 'promo_code',
      nameOf: ({ code }) => normalisePromoCode(code),
      save: (promo) => savePromoCode(ctx, promo),
    }),
});
