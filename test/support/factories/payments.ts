import { read, readOne, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { type PaymentAccountInput, savePaymentAccount } from '#src/domain/payments/index.ts';
import { randomText } from '#src/lib/crypto.ts';
import { sql } from '#src/lib/sql.ts';

export interface BuiltAccount {
  secretKey: string;
  webhookSecret: string;
}

/** A store's own account at the payment provider. Returns its key and signing secret. */
export async function buildPaymentAccount(
  ctx: Context,
  given: Partial<PaymentAccountInput> = {},
): Promise<BuiltAccount> {
  const secretKey = given.secret_key ?? `sk_test_${randomText(24)}`;
  const webhookSecret = given.webhook_secret ?? `whsec_${randomText(24)}`;
  await transact(ctx, (ctx) =>
    savePaymentAccount(ctx, {
      provider: 'stripe',
      mode: 'direct',
      publishable_key: 'pk_test_1',
      automatic_tax: false,
      ...given,
      secret_key: secretKey,
      webhook_secret: webhookSecret,
    }),
  );
  return { secretKey, webhookSecret };
}

export interface SeenOrder {
  id: string;
  orderNumber: string;
  status: string;
  paymentStatus: string;
  fulfillmentStatus: string;
  totalCents: number;
  shippingCents: number;
  refundedCents: number;
  email: string | null;
  customerId: string | null;
  attentionCode: string | null;
  version: number;
}

const orderColumns = sql`
  id, order_number as "orderNumber", status, payment_status as "paymentStatus",
  fulfillment_status as "fulfillmentStatus", total_cents as "totalCents", shipping_cents as "shippingCents",
  refunded_cents as "refundedCents", email, customer_id as "customerId",
  attentions -> 0 ->> 'code' as "attentionCode", version`;

/** An order as its row has it. */
export async function orderOf(ctx: Context, id: string): Promise<SeenOrder> {
  const order = await readOne<SeenOrder>(
    ctx,
    sql`
    select ${orderColumns} from orders where tenant_id = ${ctx.tenant.id} and id = ${id}`,
  );
  if (!order) throw new Error(`There is no order ${id}.`);
  return order;
}

/** All orders of a store, oldest first. */
export const ordersOf = (ctx: Context): Promise<SeenOrder[]> =>
  read<SeenOrder>(ctx, sql`select ${orderColumns} from orders where tenant_id = ${ctx.tenant.id} order by number`);

/** The states of an order's holds, as `kind: state`, by kind. */
export async function holdsOf(ctx: Context, orderId: string): Promise<string[]> {
  const rows = await read<{ hold: string }>(
    ctx,
    sql`
    select kind || ': ' || state as hold from holds
    where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} order by kind, subject_id`,
  );
  return rows.map(({ hold }) => hold);
}

export interface SeenSession {
  state: string;
  sessionId: string | null;
  checks: number;
  checkAt: Date | null;
}

/** The session of an order, as its row has it. */
export async function sessionOf(ctx: Context, orderId: string): Promise<SeenSession> {
  const session = await readOne<SeenSession>(
    ctx,
    sql`
    select state, provider_session_id as "sessionId", checks, check_at as "checkAt" from payment_sessions
    where tenant_id = ${ctx.tenant.id} and order_id = ${orderId}`,
  );
  if (!session) throw new Error(`There is no session of ${orderId}.`);
  return session;
}
