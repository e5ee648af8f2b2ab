import { presentAs } from '#src/lib/present-as.ts';
import { Cents, Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { type ManagedOrder, OrderView } from '../orders/index.ts';
import { presentRefund, type Refund, RefundView } from '../payments/index.ts';
import { LabelView } from '../shipping/index.ts';
import { adminAreas } from '../tenants/index.ts';
import { adviceForOrder } from './attention.ts';

/** Of those who lack one, the console says that their role does not allow all of the advice. */
export const AreasOfAdvice = Type.Array(Type.Enum([...adminAreas]), {
  description: 'The areas of which a member needs `write` to do all of it.',
  examples: [['labels']],
});

const AttentionView = Type.Object(
  {
    code: Type.String({ examples: ['oversold'] }),
    /** What happened. */
    detail: Type.String({ examples: ['The payment arrived after the stock was released.'] }),
    /** What to do about it. */
    next: Type.String({ examples: ['Find the goods or agree on a solution with the shopper.'] }),
    areas: AreasOfAdvice,
  },
  { title: 'Attention' },
);

const PackedItemView = Type.Object(
  {
    order_item_id: Id('item'),
    sku: Nullable(Type.String({ examples: ['BOWL-S'] })),
    name: Type.String({ examples: ['Oak bowl, Small'] }),
    quantity: Type.Integer({ examples: [1] }),
  },
  { title: 'PackedItem' },
);

/** An order as the lists of its store show it. */
export const ManagedOrderView = Type.Object(
  {
    ...OrderView.properties,
    /** When anything about it last changed, also what is not shown. */
    updated_at: Timestamp,
    /** Such an order was paid elsewhere, and is refunded there. */
    imported_at: Nullable(Timestamp),
    /** The most urgent of `attentions`. */
    attention: Nullable(AttentionView),
    attentions: Type.Array(AttentionView),
    /** What goes into its parcels: what ships and was in no return that was approved before. */
    packing_list: Type.Array(PackedItemView),
  },
  { title: 'ManagedOrder' },
);
export type ManagedOrderView = Static<typeof ManagedOrderView>;

export function presentManagedOrder({
  order,
  updatedAt,
  importedAt,
  attentions: open,
  packingList,
}: ManagedOrder): ManagedOrderView {
  const attentions = open.map(({ code, detail }) => {
    const { next, areas } = adviceForOrder(code);
    return { code, detail, next, areas: [...areas] };
  });
  return {
    ...order,
    updated_at: updatedAt.toISOString(),
    imported_at: importedAt?.toISOString() ?? null,
    attention: attentions[0] ?? null,
    attentions,
    packing_list: packingList.map((item) => presentAs(PackedItemView, item)),
  };
}

/** An event of an order, or a change that an actor made to it. */
const TimelineEntryView = Type.Object(
  {
    at: Timestamp,
    type: Type.String({ examples: ['label.purchased'] }),
    /** The actor, where there is one. */
    actor: Nullable(
      Type.Object({
        kind: Type.String({ examples: ['key'] }),
        id: Type.String(),
        name: Nullable(Type.String({ examples: ['Ada'] })),
      }),
    ),
    detail: Nullable(Type.String({ examples: ['usps'] })),
  },
  { title: 'TimelineEntry' },
);

/** An order with its label, its refunds and its timeline. */
export const OrderFileView = Type.Object(
  {
    ...ManagedOrderView.properties,
    /** What was returned to the gift card that paid a part of it. */
    gift_card_returned_cents: Cents,
    label: Nullable(LabelView),
    refunds: Type.Array(RefundView),
    timeline: Type.Array(TimelineEntryView),
  },
  { title: 'OrderFile' },
);
export type OrderFileView = Static<typeof OrderFileView>;

/** An event of an order, or a change that an actor made to it. */
export interface TimelineEntry {
  readonly at: Date;
  /** `noun.verb` */
  readonly type: string;
  readonly actorKind: string | null;
  readonly actorId: string | null;
  readonly actorName: string | null;
  readonly detail: string | null;
}

export interface OrderFile extends ManagedOrder {
  readonly giftCardReturnedCents: number;
  readonly label: Static<typeof LabelView> | undefined;
  readonly refunds: readonly Refund[];
  readonly timeline: readonly TimelineEntry[];
}

export function presentOrderFile(file: OrderFile): OrderFileView {
  const { giftCardReturnedCents, label, refunds, timeline, ...order } = file;
  return {
    ...presentManagedOrder(order),
    gift_card_returned_cents: giftCardReturnedCents,
    label: label ?? null,
    refunds: refunds.map(presentRefund),
    timeline: timeline.map(({ at, type, actorKind, actorId, actorName, detail }) => ({
      at: at.toISOString(),
      type,
      actor: actorKind && actorId ? { kind: actorKind, id: actorId, name: actorName } : null,
      detail,
    })),
  };
}
