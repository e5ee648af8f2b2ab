import { readOne, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import type { MailRequest } from '#src/domain/mail/enqueue-mail.ts';
import { enqueueMail, type Mail, type MailData } from '#src/domain/mail/index.ts';
import type { MailKind, OrderMailData } from '#src/domain/mail/kinds.ts';
import { randomText } from '#src/lib/crypto.ts';
import { sql } from '#src/lib/sql.ts';

/** An address that no other test knows. */
export const newAddress = (): string => `${randomText(12)}@shopper.example`;

/** Insert an email in a transaction of its own. Returns its id. */
export async function buildMail<Kind extends MailKind>(ctx: Context, mail: MailRequest<Kind>): Promise<string> {
  return transact(ctx, async (ctx) => enqueueMail(ctx, mail));
}

export interface StoredMail {
  state: Mail['state'];
  attemptCount: number;
  failure: string | null;
  messageId: string;
  nextAttemptAt: Date | null;
}

export async function readMail(ctx: Context, id: string): Promise<StoredMail | undefined> {
  return readOne(
    ctx,
    sql`
    select state, attempt_count as "attemptCount", failure, message_id as "messageId",
      next_attempt_at as "nextAttemptAt"
    from mails where tenant_id = ${ctx.tenant.id} and id = ${id}`,
  );
}

/** An order of two items, as an email shows it. */
export function orderMail(given: Partial<OrderMailData> = {}): OrderMailData {
  return {
    order_number: 'ORD-1001',
    status: 'paid',
    currency: 'USD',
    items: [
      { name: 'Oak bowl, Large', quantity: 1, subscription_interval: null, unit_price_cents: 6200 },
      { name: 'Coffee of the month, 12 oz', quantity: 2, subscription_interval: 'month', unit_price_cents: 1700 },
    ],
    subtotal_cents: 9600,
    discount_cents: 960,
    gift_card_cents: 0,
    shipping_cents: 599,
    tax_cents: 714,
    total_cents: 9953,
    refunded_cents: 0,
    shipping_address: {
      name: 'Ada Wells',
      street1: '215 Clayton St',
      street2: 'Apt 4',
      city: 'San Francisco',
      state: 'CA',
      zip: '94117',
      country: 'US',
    },
    shipped_at: null,
    labels: [],
    ...given,
  };
}

const labels = [
  {
    carrier: 'USPS',
    tracking_number: '9400100000000000000000',
    tracking_url: 'https://usps.example/9400100000000000000000',
  },
];

/** Sample data for each kind of email. */
export const everyKind: { [Kind in MailKind]: MailData[Kind] } = {
  magic_link: { redirect_path: '/account/orders?tab=open', valid_minutes: 15 },
  abandoned_cart: {
    step: 1,
    currency: 'USD',
    items: [
      { name: 'Oak bowl, Large', quantity: 2, subscription_interval: null, total_cents: 12400 },
      { name: 'Coffee of the month', quantity: 1, subscription_interval: 'quarter', total_cents: null },
    ],
  },
  staff_sign_in: { valid_minutes: 15 },
  staff_invitation: { valid_days: 3 },
  staff_owner_added: {},
  staff_code: { purpose: 'staff.ses_1', valid_minutes: 10 },
  receipt: orderMail({ gift_card_cents: 1000, total_cents: 8953 }),
  shipped: orderMail({ labels }),
  refunded: { ...orderMail({ refunded_cents: 3589 }), refund: { amount_cents: 3589, gift_card_cents: 1000 } },
  one_time_password: { purpose: 'secret_rotation', action: 'rotate your signing secret', valid_minutes: 10 },
  return_update: {
    return_number: 'RMA-1012',
    order_number: 'ORD-1001',
    status: 'approved',
    note: 'Please use the box that it came in.',
    items: [{ name: 'Oak bowl, Large', quantity: 2 }],
  },
  endpoint_warning: {
    url: `https://erp.example/${'very-long-'.repeat(12)}`,
    failing_since: '2026-11-18T09:00:00.000Z',
    disabled: null,
  },
  restock: { product_name: 'Oak bowl', variant_name: 'Large', path: '/products/oak-bowl', image_url: null },
  gift: {
    product_name: 'Coffee of the month',
    months: 3,
    recipient_name: 'Grace',
    giver_name: 'Ada',
    message: 'Happy birthday!\nEnjoy every cup.',
  },
};
