import { readPage } from '#src/database/read-page.ts';
import { readOne } from '#src/database/transact.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { newId } from '#src/lib/ids.ts';
import { presentAs } from '#src/lib/present-as.ts';
import { Email, Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../context.ts';

/** A customer of a store, identified by email address. */
export interface Customer {
  readonly id: string;
  /** Trimmed, lower case: unique in the store. */
  readonly email: string;
  readonly name: string | null;
  /** Null if the customer never chose. */
  readonly acceptsMarketing: boolean | null;
  /** The customer's id at the payment provider in this environment, once there is one. */
  readonly paymentCustomerId: string | null;
  readonly version: number;
  readonly createdAt: Date;
}

export async function findCustomer(ctx: Context, id: string): Promise<Customer | undefined> {
  return find(ctx, sql`c.id = ${id}`);
}

/** The customer with this email address, in any spelling. */
export async function findCustomerByEmail(ctx: Context, email: string): Promise<Customer | undefined> {
  return find(ctx, sql`c.email = ${normaliseEmail(email)}`);
}

async function find(ctx: Context, condition: Sql): Promise<Customer | undefined> {
  return readOne<Customer>(ctx, sql`${selectCustomers(ctx)} and ${condition}`);
}

/** A query for the customers `c` of a store, as rows of `Customer`. Further conditions may follow it. */
const selectCustomers = (ctx: Context, more: Sql = sql``): Sql => sql`
  select c.id, c.email, c.name, c.accepts_marketing as "acceptsMarketing",
    p.payment_customer_id as "paymentCustomerId", c.version, c.created_at as "createdAt"${more}
  from customers c
  left join customer_payment_ids p on p.tenant_id = ${ctx.tenant.id} and p.customer_id = c.id
    and p.environment = ${ctx.settings.appMode}
  where c.tenant_id = ${ctx.tenant.id}`;

/**
 * The customers of the store, newest first, page by page, optionally the one with an email address.
 * @throws DomainError `invalid_cursor`
 */
export async function listCustomers(
  ctx: Context,
  { email, ...page }: PageRequest & { email?: string | undefined },
): Promise<Page<Customer>> {
  // By the id, whose index is the list's order: PostgreSQL expects a frequent email address of other stores in it soon.
  const ofEmail = email === undefined ? sql`` : sql` and c.id = ${customerIdOf(ctx, normaliseEmail(email))}`;
  return readPage<Customer>(
    ctx,
    { name: 'customers', columns: ['c.id'], descending: true },
    page,
    (position) => sql`${selectCustomers(ctx, position)}${ofEmail}`,
    { replica: true },
  );
}

/** An SQL expression: the id of the customer with this normalised email address. */
export const customerIdOf = (ctx: Context, email: string | null): Sql => sql`
  (select id from customers where tenant_id = ${ctx.tenant.id} and email = ${email})`;

/** An SQL expression: the payment provider's id of the customer with this normalised email address. */
export const paymentCustomerIdOf = (ctx: Context, email: string | null): Sql => sql`
  (select payment_customer_id from customer_payment_ids
    where tenant_id = ${ctx.tenant.id} and environment = ${ctx.settings.appMode}
      and customer_id = ${customerIdOf(ctx, email)})`;

/**
 * Identifies whose checkout it is: the cart's, else the email's. A subject has one open checkout at a time: a new one
 * supersedes it. Null for an anonymous checkout without a cart, which supersedes none.
 */
export function checkoutSubjectOf({
  cartId,
  email,
}: {
  readonly cartId?: string | null | undefined;
  /** Trimmed, lower case. */
  readonly email: string | null;
}): string | null {
  if (cartId) return `cart:${cartId}`;
  return email && `email:${email}`;
}

/**
 * Find or create the customer with this email address. Concurrent calls get the same customer. A given name replaces
 * the stored one.
 */
export async function upsertCustomer(
  ctx: InTransaction,
  { email, name }: { email: string; name?: string | null | undefined },
): Promise<{ id: string }> {
  const [customer] = await ctx.tx.execute<{ id: string }>(sql`
    insert into customers as known (tenant_id, id, email, name, created_at)
    values (${ctx.tenant.id}, ${newId('cus')}, ${normaliseEmail(email)}, ${name?.trim() || null}, ${ctx.clock.now()})
    on conflict (tenant_id, email) do update set
      name = coalesce(excluded.name, known.name),
      version = known.version + (coalesce(excluded.name, known.name) is distinct from known.name)::int
    returning id`);
  if (!customer) throw new TypeError('The upsert returned no row.');
  return customer;
}

/**
 * Link a customer to their id at the payment provider in this environment. The first id stays: of two concurrent first
 * checkouts, both get the id that was linked first. A customer who was erased meanwhile is not linked.
 */
export async function linkPaymentCustomer(
  ctx: InTransaction,
  { customerId, paymentCustomerId }: { customerId: string; paymentCustomerId: string },
): Promise<{ paymentCustomerId: string }> {
  const [linked] = await ctx.tx.execute<{ paymentCustomerId: string }>(sql`
    insert into customer_payment_ids as linked (tenant_id, customer_id, environment, payment_customer_id, created_at)
    select tenant_id, id, ${ctx.settings.appMode}::text, ${paymentCustomerId}::text, ${ctx.clock.now()}::timestamptz
    from customers where tenant_id = ${ctx.tenant.id} and id = ${customerId} for key share
    on conflict (tenant_id, customer_id, environment) do update set payment_customer_id = linked.payment_customer_id
    returning payment_customer_id as "paymentCustomerId"`);
  return linked ?? { paymentCustomerId };
}

/** Unlink a customer that the payment provider does not have; one that was linked since then stays. */
export async function unlinkPaymentCustomer(
  ctx: InTransaction,
  { customerId, paymentCustomerId }: { customerId: string; paymentCustomerId: string },
): Promise<void> {
  await ctx.tx.execute(sql`
    delete from customer_payment_ids
    where tenant_id = ${ctx.tenant.id} and customer_id = ${customerId} and environment = ${ctx.settings.appMode}
      and payment_customer_id = ${paymentCustomerId}`);
}

/** A customer as shown to themselves. */
export const CustomerView = Type.Object(
  {
    id: Id('cus'),
    email: Email,
    name: Nullable(Type.String({ examples: ['Ada Lovelace'] })),
  },
  { title: 'Customer' },
);

/** What is left of a customer whose personal data was erased. */
export const ErasedCustomerView = Type.Object(
  { id: Id('cus'), erased: Type.Literal(true, { examples: [true] }) },
  { title: 'ErasedCustomer' },
);

type NamedCustomer = Pick<Customer, 'id' | 'email' | 'name'>;

export function presentCustomer({ id, email, name }: NamedCustomer): Static<typeof CustomerView> {
  return { id, email, name };
}

/** A customer as the store's owner sees it. */
export const KnownCustomerView = Type.Object(
  {
    ...CustomerView.properties,
    /** Null if the customer never chose. */
    accepts_marketing: Nullable(Type.Boolean()),
    version: Type.Integer({ examples: [1] }),
    created_at: Timestamp,
  },
  { title: 'KnownCustomer' },
);

export function presentKnownCustomer(customer: Customer): Static<typeof KnownCustomerView> {
  return presentAs(KnownCustomerView, customer);
}
