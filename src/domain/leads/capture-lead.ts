import { writeRows } from '#src/database/transact.ts';
import { hmacSha256 } from '#src/lib/crypto.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { invalidRequest } from '#src/lib/errors.ts';
import { idOf } from '#src/lib/ids.ts';
import { Id, type Static, Type } from '#src/lib/schema.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { LeadInput, QuizInput } from './lead-input.ts';

/**
 * Create a lead. The same email address from the same source is the same lead.
 * @param options `replaces`: the name and consent of an existing lead are replaced. Only for a trusted caller: a shopper
 *   may send the email address of another person
 */
export async function captureLead(
  ctx: Context,
  { source, ...input }: LeadInput,
  { replaces = false } = {},
): Promise<{ id: string }> {
  return saveLead(ctx, { ...input, replaces, source: source?.trim() || 'storefront' });
}

/** A lead to save. Omitted fields of an existing lead stay as they are. */
export interface NewLead {
  readonly email: string;
  readonly source: string;
  readonly name?: string | null | undefined;
  readonly consent?: boolean | null | undefined;
  readonly answers?: Record<string, unknown> | null | undefined;
  /** Without it, an existing lead keeps its name, and what it has consented to or declined. */
  readonly replaces?: boolean;
}

async function saveLead(ctx: Context, lead: NewLead): Promise<{ id: string }> {
  const [saved] = await writeRows<{ id: string }>(ctx, upsertLead(ctx, lead));
  if (!saved) throw new TypeError('The upsert returned no row.');
  return saved;
}

/**
 * The statement that creates or updates a lead and returns its `id`, for use within other statements. It locks the lead:
 * of two that create the same one at once, the second would otherwise fail with the id as a duplicate.
 * @param when a relation with one row or none: without a row nothing is saved
 */
export function upsertLead(ctx: Context, lead: NewLead, when: Sql = sql`(select) as always`): Sql {
  const { source, name, consent, answers, replaces } = lead;
  const email = normaliseEmail(lead.email);
  const id = leadIdOf(ctx, email, source);
  const now = ctx.clock.now();
  const consentAt = typeof consent === 'boolean' ? now : null;
  const preferred = (column: Sql) =>
    replaces ? sql`coalesce(excluded.${column}, known.${column})` : sql`coalesce(known.${column}, excluded.${column})`;
  return sql`
    insert into leads as known (tenant_id, id, email, source, name, consent, consent_at, answers, created_at, updated_at)
    select ${ctx.tenant.id}, ${id}, ${email}, ${source}, ${name?.trim() || null}::text,
      ${consent ?? null}::boolean, ${consentAt}::timestamptz, ${answers ? JSON.stringify(answers) : null}::jsonb,
      ${now}::timestamptz, ${now}::timestamptz
    from ${when} cross join pg_advisory_xact_lock(hashtextextended(${id}, 0)) as locked
    on conflict (tenant_id, email, source) do update set
      name = ${preferred(sql`name`)}, consent = ${preferred(sql`consent`)},
      consent_at = case when excluded.consent = known.consent then known.consent_at
        else ${preferred(sql`consent_at`)} end,
      answers = coalesce(excluded.answers, known.answers), updated_at = excluded.updated_at
    returning id`;
}

/** An id without the time of a new one, so that a response does not reveal whether, or since when, a lead existed. */
function leadIdOf({ tenant, settings }: Context, email: string, source: string): string {
  const text = JSON.stringify(['lead', tenant.id, email, source]);
  return idOf('lead', hmacSha256(settings.keyPepper, text).subarray(0, 16));
}

const levelsMax = 5;

/**
 * Save the answers to a quiz. Newer answers of the same email address replace the older ones.
 * @throws DomainError `invalid_request` when the answers are nested too deeply
 */
export async function saveQuiz(ctx: Context, { email, answers }: QuizInput): Promise<{ id: string }> {
  if (isDeeperThan(levelsMax, answers)) {
    throw invalidRequest('The answers are nested too deeply.', {
      path: '/answers',
      code: 'maxDepth',
      detail: `must be at most ${levelsMax} levels deep`,
    });
  }
  return saveLead(ctx, { email, source: 'quiz', answers });
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

/** The response to creating a lead. It does not reveal whether the lead existed. */
export const CapturedLeadView = Type.Object({ ok: Type.Literal(true), lead_id: Id('lead') });

export function presentCapturedLead(leadId: string): Static<typeof CapturedLeadView> {
  return { ok: true, lead_id: leadId };
}
