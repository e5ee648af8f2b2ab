import { read } from '#src/database/transact.ts';
import type { AccountReport, Row } from '#src/dev/simulators/stripe/control/client.ts';
import { exportJournal, exportJournalDays } from '#src/domain/bulk/exports/journal.ts';
import type { Context } from '#src/domain/context.ts';
import { sql } from '#src/lib/sql.ts';

export const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);

/** A store whose books are compared with those of its payment provider, and with what its owner did. */
export interface AuditedStore {
  readonly ctx: Context;
  readonly currency: string;
  /** Its gift cards, and what each was issued with: a balance that the owner sets later counts, too. */
  readonly cards: readonly { readonly issuedCents: number }[];
  /** The quantity of each variant that the owner put on the shelf. */
  readonly stocked: ReadonlyMap<string, number>;
  /** The returns that were refunded without a given amount. */
  readonly returnedByDefault: ReadonlySet<string>;
  readonly partnerCode: string;
  now(): Date;
  /** Everything that the payment provider knows. */
  provider(): Promise<AccountReport>;
}

/** An order with all that was said about its money, here and by the payment provider. Amounts are in minor units. */
export interface BookedOrder {
  readonly id: string;
  readonly number: string;
  readonly status: string;
  readonly paymentStatus: string;
  readonly isPaid: boolean;
  readonly isShipped: boolean;
  readonly subtotal: number;
  readonly discount: number;
  /** What the gift card should pay; `card.paid` is what it did. */
  readonly giftCard: number;
  readonly shipping: number;
  readonly tax: number;
  readonly total: number;
  readonly refunded: number;
  readonly promoCode: string | null;
  readonly partnerCode: string | null;
  readonly attentions: readonly string[];
  readonly disputeStatus: string | null;
  readonly items: readonly { id: string; variantId: string; quantity: number; total: number }[];
  readonly card: { readonly paid: number; readonly returned: number };
  readonly refunds: readonly { id: string; returnId: string | null; state: string; amount: number }[];
  readonly returns: readonly { id: string; status: string; items: readonly { id: string; quantity: number }[] }[];
  readonly events: readonly string[];
  /** The sums of its entries in the journal by account. */
  readonly journal: Readonly<Record<string, number>>;
  /** What the payment provider collected, gave back and lost for it. */
  readonly atProvider: Collected;
}

interface Collected {
  readonly chargeId: string | null;
  readonly collected: number;
  readonly refunded: number;
  readonly lost: number;
  readonly isDisputed: boolean;
  /** Its refunds, with the id of the refund that was requested here. */
  readonly refunds: readonly { refundId: string | null; amount: number; status: string }[];
}

export interface BookedCard {
  readonly id: string;
  readonly balance: number;
  readonly held: number;
}

export interface BookedVariant {
  readonly id: string;
  readonly stock: number;
  readonly held: number;
  /** What its movements add up to. */
  readonly ledger: number;
  /** Whether more may be sold than there is. */
  readonly backorder: boolean;
}

export interface Books {
  readonly today: string;
  readonly orders: readonly BookedOrder[];
  readonly cards: readonly BookedCard[];
  readonly variants: readonly BookedVariant[];
  readonly promos: readonly { readonly code: string; readonly used: number; readonly held: number }[];
  /** What open checkouts hold, by the id of the card or variant, or by promo code. */
  readonly holds: ReadonlyMap<string, number>;
  /** The sums of the journal by account, and by day and account. */
  readonly accounts: Readonly<Record<string, number>>;
  readonly days: ReadonlyMap<string, number>;
  /** The payments that the provider collected. */
  readonly charges: readonly string[];
}

type BookedRow = Omit<BookedOrder, 'journal' | 'atProvider'> & { readonly paymentId: string | null };

/** Everything that the store and its payment provider say about money, at this moment. */
export async function readBooks(store: AuditedStore): Promise<Books> {
  const { ctx } = store;
  const everything = { from: null, to: null };
  const tenantId = ctx.tenant.id;
  const [report, rows, entries, days, cards, variants, promos, holds] = await Promise.all([
    store.provider(),
    read<BookedRow>(ctx, ordersOf(tenantId)),
    read<{ account: string; reference: string; amount_cents: number }>(ctx, exportJournal.select(ctx, everything)),
    read<{ day: string; account: string; amount_cents: number }>(ctx, exportJournalDays.select(ctx, everything)),
    read<BookedCard>(
      ctx,
      sql`select id, balance_cents as balance, held_cents as held from gift_cards where tenant_id = ${tenantId}`,
    ),
    read<BookedVariant>(
      ctx,
      sql`
      select v.id, v.stock, v.stock_held as held, v.backorder, (
        select coalesce(sum(m.quantity), 0)::int from stock_movements m
        where m.tenant_id = v.tenant_id and m.variant_id = v.id) as ledger
      from variants v where v.tenant_id = ${tenantId} and v.stock is not null`,
    ),
    read<Books['promos'][number]>(ctx, sql`select code, used, held from promo_codes where tenant_id = ${tenantId}`),
    read<{ subject: string; held: number }>(
      ctx,
      sql`
      select coalesce(p.code, h.subject_id) as subject,
        sum(case when p.code is null then h.quantity + h.amount_cents else 1 end)::int8 as held
      from holds h left join promo_codes p on p.tenant_id = h.tenant_id and p.id = h.subject_id
      where h.tenant_id = ${tenantId} and h.state = 'held' group by 1`,
    ),
  ]);
  const accounts = (of: typeof entries) => {
    const sums: Record<string, number> = {};
    for (const { account, amount_cents: cents } of of) sums[account] = (sums[account] ?? 0) + cents;
    return sums;
  };
  return {
    today: store.now().toISOString().slice(0, 10),
    orders: rows.map((row) => ({
      ...row,
      journal: accounts(entries.filter(({ reference }) => reference === row.number)),
      atProvider: collectedFor(report, row.paymentId),
    })),
    cards,
    variants,
    promos,
    holds: new Map(holds.map(({ subject, held }) => [subject, held])),
    accounts: accounts(entries),
    days: new Map(days.map(({ day, account, amount_cents: cents }) => [`${day} ${account}`, cents])),
    charges: report.charges.filter((charge) => charge['status'] === 'succeeded').map(({ id }) => id),
  };
}

const ordersOf = (tenantId: string) => sql`
  select o.id, o.order_number as number, o.status, o.payment_status as "paymentStatus",
    o.paid_at is not null as "isPaid", o.shipped_at is not null as "isShipped", o.subtotal_cents as subtotal,
    o.discount_cents as discount, o.gift_card_cents as "giftCard", o.shipping_cents as shipping, o.tax_cents as tax,
    o.total_cents as total, o.refunded_cents as refunded, o.promo_code as "promoCode", o.partner_code as "partnerCode",
    o.payment_id as "paymentId",
    array(select each ->> 'code' from jsonb_array_elements(o.attentions) as each) as attentions,
    o.dispute_status as "disputeStatus",
    (select json_agg(json_build_object('id', i.id, 'variantId', i.variant_id, 'quantity', i.quantity,
        'total', i.total_cents)) from order_items i where i.tenant_id = o.tenant_id and i.order_id = o.id) as items,
    (select json_build_object('paid', coalesce(sum(g.amount_cents), 0), 'returned', coalesce(sum(g.returned_cents), 0))
      from gift_card_redemptions g where g.tenant_id = o.tenant_id and g.order_id = o.id) as card,
    (select coalesce(json_agg(json_build_object('id', f.id, 'returnId', f.return_id, 'state', f.state,
        'amount', f.amount_cents)), '[]')
      from payment_refunds f where f.tenant_id = o.tenant_id and f.order_id = o.id) as refunds,
    (select coalesce(json_agg(json_build_object('id', r.id, 'status', r.status, 'items', (
        select json_agg(json_build_object('id', i.order_item_id, 'quantity', i.quantity))
        from return_items i where i.tenant_id = r.tenant_id and i.return_id = r.id))), '[]')
      from returns r where r.tenant_id = o.tenant_id and r.order_id = o.id) as returns,
    array(select e.type from events e where e.tenant_id = o.tenant_id and e.object_id = o.id) as events
  from orders o where o.tenant_id = ${tenantId} order by o.number`;

function collectedFor(report: AccountReport, paymentId: string | null): Collected {
  const charges: readonly (Row & Record<string, any>)[] = report.charges;
  const charge = charges.find((each) => each['payment_intent'] === paymentId && each['status'] === 'succeeded');
  const ofCharge = (rows: readonly (Row & Record<string, any>)[]) => rows.filter((row) => row['charge'] === charge?.id);
  const disputes = ofCharge(report.disputes);
  return {
    chargeId: charge?.id ?? null,
    collected: charge?.['amount'] ?? 0,
    refunded: charge?.['amount_refunded'] ?? 0,
    lost: sum(disputes.filter(({ status }) => status === 'lost').map(({ amount }) => amount)),
    isDisputed: disputes.some(({ status }) => status === 'needs_response'),
    refunds: ofCharge(report.refunds).map(({ metadata, amount, status }) => ({
      refundId: metadata['platform_refund_id'] ?? null,
      amount,
      status,
    })),
  };
}
