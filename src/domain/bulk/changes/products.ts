import { isDeepStrictEqual } from 'node:util';
import { chargeStepOf } from '#src/lib/currency.ts';
import { DomainError, invalidRequest } from '#src/lib/errors.ts';
import { centsMax, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import {
  type CatalogProduct,
  type CatalogVariant,
  editProducts,
  ManagedProductFilter,
  matchesProduct,
  type ProductPatch,
  Tag,
} from '../../catalog/index.ts';
import type { IdentifiedChange } from '../../change.ts';
import { checkCharge } from '../../checks.ts';
import type { Context, InTransaction } from '../../context.ts';
import { type Changed, defineChangeKind, type Selected } from './change-kind.ts';

type Edit = Omit<ProductPatch, 'slug'>;

/** What the kinds have in common that change products. */
const ofProducts = {
  area: 'catalog',
  filter: ManagedProductFilter,
  batchSize: 100,
  auditedAs: 'product',
  select: (ctx: Context, filter: ManagedProductFilter) => sql`
    select p.id from products p
    where p.tenant_id = ${ctx.tenant.id} and p.removed_at is null and ${matchesProduct(ctx, filter)}`,
  subjects: ({ tenant }: Context, ids: readonly string[]) => sql`
    select id, 'product ' || slug as subject from products where tenant_id = ${tenant.id} and id = any(${ids}::text[])`,
  undo: undoEdits,
} as const;

const editSelected = (ctx: InTransaction, selected: readonly Selected[], edit: (product: CatalogProduct) => Edit) =>
  editProducts(
    ctx,
    selected.map(({ id }) => id),
    edit,
  );

const priceFields = ['price_cents', 'compare_at_cents', 'subscription_price_cents'] as const;

const PriceChange = Type.Object(
  {
    percent: Type.Optional(Type.Number({ minimum: -100, maximum: 1000, examples: [-10] })),
    amount_cents: Type.Optional(Type.Integer({ minimum: -centsMax, maximum: centsMax, examples: [-500] })),
    round_to_cents: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        examples: [50],
        description: 'New prices are rounded to a multiple of this, halves up. Default: what the currency can charge.',
      }),
    ),
    prices: Type.Optional(
      Type.Array(Type.Enum([...priceFields]), {
        minItems: 1,
        maxItems: priceFields.length,
        uniqueItems: true,
        default: ['price_cents'],
      }),
    ),
  },
  { oneOf: [{ required: ['percent'] }, { required: ['amount_cents'] }] },
);

/** Prices of all variants. A price that would be below zero rejects its product. */
export const changePrices = defineChangeKind({
  ...ofProducts,
  name: 'prices',
  change: PriceChange,
  choice: 'Say by how much: a percentage or an amount, and not both.',
  check: ({ tenant }, { round_to_cents: step }) =>
    step === undefined ? [] : checkCharge('/round_to_cents', step, tenant.currency),
  save(ctx, selected, { percent, amount_cents: amount = 0, round_to_cents: given, prices = ['price_cents' as const] }) {
    const step = given ?? chargeStepOf(ctx.tenant.currency);
    const changed = (cents: number) =>
      Math.round((percent === undefined ? cents + amount : percentMore(cents, percent)) / step) * step;
    return editSelected(ctx, selected, ({ variants }) => ({
      variants: variants.map((variant) => ({
        sku: variant.sku,
        ...Object.fromEntries(prices.flatMap((field) => changedPrice(field, variant, changed))),
      })),
    }));
  },
});

/** In hundredths of a percent, so that no binary fraction decides how a price is rounded. */
const percentMore = (cents: number, percent: number): number => (cents * (10_000 + Math.round(percent * 100))) / 10_000;

function changedPrice(
  field: (typeof priceFields)[number],
  variant: CatalogVariant,
  changed: (cents: number) => number,
): [string, number][] {
  const cents = variant[field];
  return cents === null ? [] : [[field, allowedPrice(changed(cents), field, variant)]];
}

/** @throws DomainError `invalid_request` */
function allowedPrice(cents: number, field: string, { sku }: CatalogVariant): number {
  if (cents >= 0 && cents <= centsMax) return cents;
  throw invalidRequest(`${field} of ${sku} would be ${cents < 0 ? 'below zero' : `more than ${centsMax}`}.`);
}

const Tags = Type.Array(Tag, { maxItems: 50 });

export const changeTags = defineChangeKind({
  ...ofProducts,
  name: 'tags',
  change: Type.Object({ add: Type.Optional(Tags), remove: Type.Optional(Tags) }, { minProperties: 1 }),
  choice: 'Say which tags: add or remove.',
  save: (ctx, selected, { add = [], remove = [] }) =>
    editSelected(ctx, selected, ({ tags }) => ({
      tags: [...new Set([...tags.filter((tag) => !remove.includes(tag)), ...add])],
    })),
});

export const changeStatus = defineChangeKind({
  ...ofProducts,
  name: 'status',
  change: Type.Object({ status: Type.Enum(['draft', 'published']) }),
  save: (ctx, selected, { status }) => editSelected(ctx, selected, () => ({ status })),
});

/** Of a product that was changed since, nothing is undone. */
function undoEdits(ctx: InTransaction, changed: readonly Changed[]): Promise<IdentifiedChange[]> {
  return editProducts(
    ctx,
    changed.map(({ id }) => id),
    (product, index) => {
      const entries = Object.entries(changed[index]?.values ?? {});
      const since = entries.find(([path, [, after]]) => !isDeepStrictEqual(valueAt(product, path), after));
      if (since) throw changedSince(since[0]);
      return editOf(
        product,
        entries.map(([path, [before]]) => [path, before]),
      );
    },
  );
}

const changedSince = (what: string) => new DomainError('conflict', 'version_conflict', `${what} was changed since.`);

/** `tags`, `status`, or a price of a variant: `variants.BOWL-S.price_cents`. A SKU may have dots. */
const variantPath = /^variants\.(.+)\.([a-z_]+)$/s;

function valueAt(product: CatalogProduct, path: string): unknown {
  const [, sku, field] = variantPath.exec(path) ?? [];
  const owner = sku === undefined ? product : product.variants.find((variant) => variant.sku === sku);
  return (owner as Readonly<Record<string, unknown>> | undefined)?.[field ?? path];
}

/** Every variant in its place: the order in which they are saved is the order in which they are shown. */
function editOf(product: CatalogProduct, entries: readonly (readonly [path: string, value: unknown])[]): Edit {
  const edits = new Map<string, Record<string, unknown>>();
  const edit: Record<string, unknown> = {};
  for (const [path, value] of entries) {
    const [, sku, field] = variantPath.exec(path) ?? [];
    if (sku === undefined || field === undefined) edit[path] = value;
    else edits.set(sku, { ...edits.get(sku), [field]: value });
  }
  const variants = product.variants.map(({ sku }) => ({ sku, ...edits.get(sku) }));
  return { ...edit, ...(edits.size > 0 && { variants }) } as Edit;
}
