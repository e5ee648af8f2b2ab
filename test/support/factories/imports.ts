import { transact } from '#src/database/transact.ts';
import { importKindOf } from '#src/domain/bulk/index.ts';
import { saveProducts } from '#src/domain/catalog/index.ts';
import type { Context } from '#src/domain/context.ts';
import { hashedCode } from '#src/domain/promotions/index.ts';
import type { Services } from '#src/services.ts';
import { explainStatements } from '#test/support/explain-statements.ts';
import { stonewareInputs } from './catalog.ts';

const products = 600;

/** Of each kind of import, one thing of many, with a name where it can be changed. */
const rowOf: Readonly<Record<string, (number: number, name: string, ctx: Context) => object>> = {
  content: (number, title) => ({ type: 'article', slug: `article-${number}`, title, body: {}, tags: ['clay'] }),
  customers: (number, name) => ({ email: `shopper-${number}@example.com`, name: `${name} ${number}` }),
  gift_cards: (number, _, ctx) => {
    const { codeHash, last4 } = hashedCode(ctx, `CARD-${100_000 + number}`);
    return { code: `hash:${codeHash.toString('base64url')}:${last4}`, balance_cents: 500 };
  },
  orders: (number) => ({
    order_number: `#${number}`,
    email: `shopper-${number}@example.com`,
    created_at: '2020-01-01T00:00:00Z',
    items: ['S', 'L'].map((size) => ({
      sku: `${size}-${number % products}`,
      name: 'Mug',
      quantity: 1,
      unit_price_cents: 1000,
    })),
  }),
  partners: (number, name) => ({ code: `partner-${number}`, name }),
  products: (number, name) => ({
    slug: `more-${number}`,
    name,
    tags: ['clay'],
    variants: [{ sku: `M-${number}`, price_cents: 500 }],
  }),
  promo_codes: (number, name) => ({ code: `CODE${number}`, type: 'free_shipping', usage_limit: name.length }),
  stock: (number, name) => ({
    sku: `${number % (2 * products) < products ? 'S' : 'L'}-${number % products}`,
    quantity: number + name.length,
  }),
};

export const importKinds = Object.keys(rowOf);

const batchSize = 100;

/** Import so many things of a kind, or those that follow after so many, in batches as large as those of a file. */
export async function importMany(
  ctx: Context,
  kind: string,
  count: number,
  { after = 0, name = 'Mug' } = {},
): Promise<void> {
  const values = Array.from({ length: count }, (_, index) => rowOf[kind]?.(after + index, name, ctx));
  for (let from = 0; from < count; from += batchSize) {
    const batch = values.slice(from, from + batchSize);
    await transact(ctx, (ctx) => importKindOf({ kind }).save(ctx, batch, 'upsert'));
  }
}

/**
 * Import into a store that has products and a thousand of the kind: further ones, and changes of what it has. Returns
 * what reads much more than it returns.
 */
export async function readsOfImport(services: Services, ctx: Context, kind: string): Promise<string[]> {
  await transact(ctx, (ctx) => saveProducts(ctx, stonewareInputs(products), {}));
  await importMany(ctx, kind, 1000);
  // A frequent statement is explained for its first rows.
  const work = async () => {
    await importMany(ctx, kind, 500, { after: 1000 });
    await importMany(ctx, kind, 500, { name: 'Teapot' });
  };
  const explained = await explainStatements(services, work, { timesMax: 3 });
  if (explained.length === 0) throw new Error('The import has sent no statement.');
  return explained
    .filter(({ read, returned }) => read > 900 + 10 * returned)
    .map(({ read, returned, text, scans }) => `${read} rows read for ${returned}: ${text}\n${scans.join('\n')}`);
}
