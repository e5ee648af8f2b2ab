import { presentAs, type RowOf } from '#src/lib/present-as.ts';
import { Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import type { InTransaction } from '../context.ts';
import { enqueueMail, type MailData } from '../mail/index.ts';
import { returnStatuses } from './return.ts';

const ReturnItemView = Type.Object(
  {
    order_item_id: Id('item'),
    variant_id: Id('var'),
    name: Type.String({ examples: ['Oak bowl, Small'] }),
    quantity: Type.Integer({ examples: [1] }),
    reason: Nullable(Type.String({ examples: ['too_small'] })),
    note: Nullable(Type.String()),
  },
  { title: 'ReturnItem' },
);

/** A return as the API, the webhooks and the customer portal show it. */
export const ReturnView = Type.Object(
  {
    id: Id('ret'),
    number: Type.String({ examples: ['RMA-1001'] }),
    order_id: Id('ord'),
    order_number: Type.String({ examples: ['ORD-1001'] }),
    status: Type.Enum([...returnStatuses]),
    items: Type.Array(ReturnItemView),
    /** Incremented with every change. */
    version: Type.Integer({ examples: [2] }),
    created_at: Timestamp,
  },
  { title: 'Return' },
);
export type ReturnView = Static<typeof ReturnView>;

/** A return with its items, as `presentReturn` shows it. */
export type ReturnRecord = Omit<RowOf<typeof ReturnView>, 'number' | 'items'> & {
  readonly number: number;
  readonly email: string;
  readonly note: string | null;
  readonly items: readonly RowOf<typeof ReturnItemView>[];
};

/** A return's number as people read it. */
export const returnNumberOf = (number: number): string => `RMA-${number}`;

export function presentReturn(record: ReturnRecord): ReturnView {
  const items = record.items.map((item) => presentAs(ReturnItemView, item));
  return presentAs(ReturnView, { ...record, number: returnNumberOf(record.number), items });
}

/** What was refunded with a return, as its email says it. */
export type RefundOfReturn = MailData['return_update']['refund'];

/** Enqueue the email that reports the status of a return. */
export function notifyShopper(ctx: InTransaction, record: ReturnRecord, refund?: RefundOfReturn): void {
  const { id, number, orderNumber, email, status, note } = record;
  const items = record.items.map(({ name, quantity }) => ({ name, quantity }));
  enqueueMail(ctx, {
    kind: 'return_update',
    to: email,
    data: {
      return_number: returnNumberOf(number),
      order_number: orderNumber,
      status,
      items,
      note,
      ...(refund && { refund }),
    },
    subjectId: id,
  });
}
