import { normaliseEmail } from '#src/lib/email-address.ts';
import { invalidRequest } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { Email, Omittable, type Static, Text, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import type { IdentifiedChange } from '../change.ts';
import type { InTransaction } from '../context.ts';
import { indexedNames, nameWords } from './customers.ts';

/** A customer whom the store brings along. */
export const CustomerInput = Type.Object({
  email: Email,
  name: Omittable(Text(200, { examples: ['Ada Wells'] })),
  /** Whether the customer has consented to advertising. */
  accepts_marketing: Omittable(Type.Boolean()),
});
export type CustomerInput = Static<typeof CustomerInput>;

/**
 * Create customers, or complete those that exist, in one statement. What a customer chose here about marketing stays,
 * whatever was chosen elsewhere.
 * @throws DomainError `invalid_request` when two have the same email
 */
export async function saveCustomers(ctx: InTransaction, inputs: readonly CustomerInput[]): Promise<IdentifiedChange[]> {
  const given = inputs.map(({ email, name, accepts_marketing: acceptsMarketing }) => ({
    id: newId('cus'),
    email: normaliseEmail(email),
    name: name?.trim() || null,
    nameWords: nameWords(name ?? ''),
    acceptsMarketing: acceptsMarketing ?? null,
  }));
  if (new Set(given.map(({ email }) => email)).size < given.length) {
    throw invalidRequest('A customer occurs several times.');
  }
  const saved = await ctx.tx.execute<{ email: string; id: string; isNew: boolean; fields: string[] }>(sql`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
        as g(id text, email text, name text, "nameWords" text[], "acceptsMarketing" boolean)),
    known as (
      select c.* from given g cross join lateral (
        select * from customers c where c.tenant_id = ${ctx.tenant.id} and c.email = g.email offset 0) as c),
    saved as (
      insert into customers as c (tenant_id, id, email, name, name_words, accepts_marketing, created_at)
      select ${ctx.tenant.id}, id, email, name, "nameWords", "acceptsMarketing", ${ctx.clock.now()}::timestamptz
      from given
      order by email
      on conflict (tenant_id, email) do update set
        name = coalesce(excluded.name, c.name),
        name_words = case when excluded.name is null then c.name_words else excluded.name_words end,
        accepts_marketing = coalesce(c.accepts_marketing, excluded.accepts_marketing),
        version = c.version + (coalesce(excluded.name, c.name) is distinct from c.name
          or coalesce(c.accepts_marketing, excluded.accepts_marketing) is distinct from c.accepts_marketing)::int
      returning id, email, name, name_words, accepts_marketing),
    ${indexedNames(ctx)}
    select s.email, s.id, k.id is null as "isNew", array_remove(array[
      case when s.name is distinct from k.name then 'name' end,
      case when s.accepts_marketing is distinct from k.accepts_marketing then 'accepts_marketing' end], null) as fields
    from saved s left join known k on k.id = s.id`);
  const byEmail = new Map(saved.map((each) => [each.email, each]));
  return given.map(({ email }): IdentifiedChange => {
    const { id = '', isNew = false, fields = [] } = byEmail.get(email) ?? {};
    // The id, because changes are shown and stored.
    const subject = `customer ${id}`;
    if (isNew) return { id, subject, action: 'created', fields: [] };
    return { id, subject, action: fields.length > 0 ? 'updated' : 'unchanged', fields };
  });
}
