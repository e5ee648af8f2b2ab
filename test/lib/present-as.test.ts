import test from 'ava';

import { presentAs, type RowOf } from '#src/lib/present-as.ts';
import { Nullable, Timestamp, Type } from '#src/lib/schema.ts';

const CupView = Type.Object({
  id: Type.String(),
  price_cents: Type.Integer(),
  made_at: Nullable(Timestamp),
  glaze: Nullable(Type.String()),
  tags: Type.Array(Type.String()),
});

const tags: readonly string[] = ['wood'];

test('a row is shown with the fields of its view and no others', (t) => {
  const cup = {
    id: 'cup_1',
    priceCents: 1900,
    madeAt: new Date('2026-01-02T03:04:05Z'),
    glaze: 'blue',
    tags,
    costCents: 3,
  };
  t.deepEqual(presentAs(CupView, cup), {
    id: 'cup_1',
    price_cents: 1900,
    made_at: '2026-01-02T03:04:05.000Z',
    glaze: 'blue',
    tags: ['wood'],
  });
});

test('a column without a value is shown as null', (t) => {
  const { made_at, glaze } = presentAs(CupView, { id: 'cup_1', priceCents: 0, madeAt: undefined, glaze: null, tags });
  t.deepEqual([made_at, glaze], [null, null]);
});

test('a row that lacks a field of the view, or has another type there, does not compile', (t) => {
  // @ts-expect-error `priceCents` is missing
  const lacking = presentAs(CupView, { id: 'cup_1', madeAt: null, glaze: null, tags });
  // @ts-expect-error a price is no text
  const other = presentAs(CupView, { id: 'cup_1', priceCents: '19.00', madeAt: null, glaze: null, tags });
  t.deepEqual([lacking.price_cents, other.price_cents], [null, '19.00']);
});

test('the row of a view has its fields in camel case, with times as dates', (t) => {
  const cup: RowOf<typeof CupView> = { id: 'cup_1', priceCents: 0, madeAt: new Date(0), glaze: null, tags };
  // @ts-expect-error a time is no text
  const other: RowOf<typeof CupView> = { ...cup, madeAt: '1970-01-01T00:00:00.000Z' };
  t.is(presentAs(CupView, cup).made_at, String(other.madeAt));
});
