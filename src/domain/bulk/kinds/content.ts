import { lockNames } from '#src/database/lock-names.ts';
import { closed } from '#src/lib/schema.ts';
import type { IdentifiedChange } from '../../change.ts';
import { EntryInput, saveEntry } from '../../content/index.ts';
import { PromoCodeInput, savePromoCodes } from '../../promotions/index.ts';
import { defineImportKind, rejectExisting, type TableFormat } from '../import-kind.ts';
import { definedFields, withoutFields } from './cells.ts';
import { flatTable } from './flat-table.ts';

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
  async save(ctx, entries, mode) {
    // First and in one order: two imports that each locked what it saves next could wait for each other.
    const names = entries.map(({ type, slug }) => `${type}/${slug}`);
    await lockNames(ctx, 'content', names);
    const changes: IdentifiedChange[] = [];
    for (const entry of entries) changes.push(await saveEntry(ctx, entry));
    return rejectExisting(changes, mode);
  },
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
      identifiers: ['code'],
    }),
  },
  schema: closed(PromoCodeInput),
  readLine: (line) => withoutFields(line, usage),
  auditedAs: 'promo_code',
  save: async (ctx, promos, mode) => rejectExisting(await savePromoCodes(ctx, promos), mode),
});
