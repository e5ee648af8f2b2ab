import { read } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import type { MailData } from '#src/domain/mail/kinds.ts';
import { type RenderedEmail, renderEmail } from '#src/domain/mail/render-email.ts';
import { type OrderView, readOrder } from '#src/domain/orders/index.ts';
import { requestReturn } from '#src/domain/returns/index.ts';
import type { ReturnRecord } from '#src/domain/returns/present.ts';
import { sql } from '#src/lib/sql.ts';
import { buildPaidOrder, type GivenOrder } from './orders.ts';

/** A paid order of Ada's, as the API shows it. */
export async function buildReturnableOrder(ctx: Context, given: GivenOrder = {}): Promise<OrderView> {
  const { id } = await buildPaidOrder(ctx, { email: 'ada@example.com', ...given });
  const order = await readOrder(ctx, id);
  if (!order) throw new Error('The order was not built.');
  return order;
}

/** A return of everything in a paid order of Ada's, just requested. */
export async function buildReturn(ctx: Context, order?: OrderView): Promise<ReturnRecord> {
  const { order_number: orderNumber, items } = order ?? (await buildReturnableOrder(ctx));
  const wanted = items.map(({ id, quantity }) => ({ order_item_id: id, quantity }));
  return requestReturn(ctx, { orderNumber, email: 'ada@example.com', items: wanted });
}

/** How many pieces of each item of an order are in returns, in their order. */
export async function returnedOf(ctx: Context, orderId: string): Promise<number[]> {
  const rows = await read<{ returned: number }>(
    ctx,
    sql`
    select returned_quantity as returned from order_items
    where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} order by position`,
  );
  return rows.map(({ returned }) => returned);
}

/** The newest email about a return. */
export async function newestReturnMailOf(ctx: Context, returnId: string): Promise<RenderedEmail> {
  const [mail] = await read<{ data: MailData['return_update']; recipient: string }>(
    ctx,
    sql`
    select data, recipient from mails
    where tenant_id = ${ctx.tenant.id} and kind = 'return_update' and subject_id = ${returnId} order by id desc limit 1`,
  );
  if (!mail) throw new Error('There is no email about the return.');
  return renderEmail(ctx, 'return_update', { ...mail, subjectId: returnId });
}

/** The statuses that a shopper was written of a return, in turn. */
export async function returnMailsOf(
  ctx: Context,
  returnId: string,
): Promise<{ status: string; note: string | null; recipient: string }[]> {
  return read(
    ctx,
    sql`
    select data ->> 'status' as status, data ->> 'note' as note, recipient from mails
    where tenant_id = ${ctx.tenant.id} and kind = 'return_update' and subject_id = ${returnId} order by id`,
  );
}
