import { readPage } from '#src/database/read-page.ts';
import { readOne } from '#src/database/transact.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { newId } from '#src/lib/ids.ts';
import { normalizeName } from '#src/lib/normalize-text.ts';
import { allOf, type Sql, sql } from '#src/lib/sql.ts';
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

/** A query for the customers `c` of a store, or for `some` of them, as rows of `Customer`. Conditions may follow it. */
const selectCustomers = (ctx: Context, more: Sql = sql``, some: Sql = sql`customers`): Sql => sql`
  select c.id, c.email, c.name, c.accepts_marketing as "acceptsMarketing",
    p.payment_customer_id as "paymentCustomerId", c.version, c.created_at as "createdAt"${more}
  from ${some} c
  left join customer_payment_ids p on p.tenant_id = ${ctx.tenant.id} and p.customer_id = c.id
    and p.environment = ${ctx.settings.appMode}
  where c.tenant_id = ${ctx.tenant.id}`;

/**
 * The customers of the store, newest first, page by page, optionally the one with an email address. `q` is an email, or
 * words of a name; see `customersNamed`.
 * @throws DomainError `invalid_cursor`
 */
export async function listCustomers(
  ctx: Context,
  { q, email, ...page }: PageRequest & { q?: string | undefined; email?: string | undefined },
): Promise<Page<Customer>> {
  // By the id, whose index is the list's order: PostgreSQL expects a frequent email address of other stores in it soon.
  const ofEmail = (email: string) => sql`c.id = ${customerIdOf(ctx, normaliseEmail(email))}`;
  // Of their own: to find none, PostgreSQL 15 would read all customers of the store in the order of the list.
  const named = (name: string) => sql`(
    select * from customers
    where tenant_id = ${ctx.tenant.id} and id = any(array(select id from (${customersNamed(ctx, name)}) as named))
    offset 0)`;
  const isName = q !== undefined && !q.includes('@');
  const matches = allOf(email !== undefined && ofEmail(email), q !== undefined && !isName && ofEmail(q));
  return readPage<Customer>(
    ctx,
    { name: 'customers', columns: ['c.id'], descending: true },
    page,
    (position) => sql`${selectCustomers(ctx, position, isName ? named(q) : undefined)} and ${matches}`,
    { replica: true },
  );
}

/** Longer words are more than one: an index has no room for what is very long. */
const wordPattern = /[\p{L}\p{M}\p{N}]{1,40}/gu;
const wordsMax = 20;

/** What stands within a word and is none of its letters: an apostrophe, however it is typed, and what nobody sees. */
const apostrophes = /['’‘ʼʻ´`′＇\p{Cf}]/gu;

/** Letters of the languages whose names are written with or without a space between their parts. */
const unspaced = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]`;
const spaceWithin = new RegExp(`(?<=${unspaced})[\\s・]+(?=${unspaced})`, 'gu');
const unspacedPattern = new RegExp(`${unspaced}{1,${wordsMax}}`, 'gu');

/** The words of a name as it is typed, without case, accents and apostrophes. */
const typedWords = (typed: string): string[] => longestFirst(wordsIn(typed));

/**
 * The beginnings of these are what a name is found by: its words, also behind an apostrophe, as in d'Ávila, and every end
 * of what has no spaces, so that 山田 太郎 and 山田太郎 are found by each other and by 太郎.
 */
export function nameWords(name: string): string[] {
  const runs = name.normalize('NFKC').replace(spaceWithin, '').match(unspacedPattern) ?? [];
  const ends = runs.flatMap((run) => Array.from(run, (_, start) => Array.from(run).slice(start).join('')));
  return longestFirst([name, name.replace(apostrophes, ' '), ...ends].flatMap(wordsIn));
}

const wordsIn = (text: string): string[] => normalizeName(text.replace(apostrophes, '')).match(wordPattern) ?? [];

/** The fewest people have the longest. */
const longestFirst = (words: readonly string[]): string[] =>
  [...new Set(words)].toSorted((left, right) => right.length - left.length).slice(0, wordsMax);

/** So many of the words that are typed are looked up; with the others, what is found is compared. */
const scannedWordsMax = 4;
/** Of more customers with a word, the newest are found, and as many with longer words that begin with it. */
const namesakesMax = 1000;
/**
 * Where several words are typed, so many with the rarest of them are looked at. Rather with one that is complete: of
 * more with longer words it is not the newest that are found.
 */
const examinedMax = 5000;

/**
 * A query for the `id` and `email` of the customers whose names have all of these words, or longer ones that begin with
 * them. Where each of the words is that of very many, only the newest of those are looked at.
 */
export function customersNamed({ tenant }: Context, typed: string): Sql {
  const words = typedWords(typed);
  const scanned = words.slice(0, scannedWordsMax);
  // In the order of the index: what follows a word itself, and what follows all that begin with it.
  const next = scanned.map((word) => `${word}\u0001`);
  const last = scanned.map((word) => `${word}\u{10ffff}`);
  const from = [...scanned, ...next];
  const examined = scanned.length > 1 ? examinedMax : namesakesMax;
  // The tenant is a value of each row, so that PostgreSQL does not expect few rows and read all in another order.
  return sql`
    with named as (
      select typed.word, typed.first, n.customer_id
      from unnest(${from.map(() => tenant.id)}::text[], ${[...scanned, ...scanned]}::text[], ${from}::text[],
        ${[...next, ...last]}::text[]) as typed(tenant_id, word, first, beyond)
      left join lateral (
        select customer_id from customer_names n
        where (n.tenant_id, n.word, n.customer_id) >= (typed.tenant_id, typed.first, '')
          and (n.tenant_id, n.word, n.customer_id) < (typed.tenant_id, typed.beyond, '')
        order by n.tenant_id desc, n.word desc, n.customer_id desc limit ${examined}) as n on true)
    select distinct c.id, c.email
    from named cross join lateral (
      select * from customers c where c.tenant_id = ${tenant.id} and c.id = named.customer_id offset 0) as c
    where named.word = (
      select word from named group by word
      order by count(customer_id) filter (where first <> word) >= ${examined}, count(customer_id) limit 1)
    and not exists (
      select from unnest(${words}::text[]) as wanted
      where not exists (select from unnest(c.name_words) as word where starts_with(word, wanted)))`;
}

/**
 * A common table expression that adds the words of the names of customers who were `saved`. Those of a name before stay
 * until the customer is erased: nobody is found by them.
 */
export const indexedNames = ({ tenant }: Context): Sql => sql`
  named as (
    insert into customer_names (tenant_id, word, customer_id)
    select ${tenant.id}, word, saved.id from saved cross join lateral unnest(saved.name_words) as word
    on conflict do nothing)`;

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
    with saved as (
      insert into customers as known (tenant_id, id, email, name, name_words, created_at)
      values (${ctx.tenant.id}, ${newId('cus')}, ${normaliseEmail(email)}, ${name?.trim() || null},
        ${nameWords(name ?? '')}, ${ctx.clock.now()})
      on conflict (tenant_id, email) do update set
        name = coalesce(excluded.name, known.name),
        name_words = case when excluded.name is null then known.name_words else excluded.name_words end,
        version = known.version + (coalesce(excluded.name, known.name) is distinct from known.name)::int
      returning id, name_words),
    ${indexedNames(ctx)}
    select id from saved`);
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
