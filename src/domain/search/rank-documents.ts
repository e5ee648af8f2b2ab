import { type Sql, sql } from '#src/lib/sql.ts';
import { fold } from '../catalog/index.ts';
import type { Context } from '../context.ts';
import { textConfig } from './text-config.ts';
import type { DocumentKey } from './want-embedding.ts';

/** What a shopper typed, as PostgreSQL is asked for it. */
export interface Typed {
  readonly text: string;
  readonly kinds: readonly string[];
  readonly config: Sql;
  /** Its words, in the language of the store. */
  readonly words: Sql;
  /** Its letters, without case and accents. */
  readonly spelled: Sql;
  /** The slug or SKU that it may be. */
  readonly name: Sql;
}

export function readTyped(ctx: Context, q: string, kinds: readonly string[]): Typed {
  const text = q.trim();
  const config = sql`${textConfig(ctx.tenant.locale)}::regconfig`;
  return {
    text, kinds, config,
    words: sql`websearch_to_tsquery(${config}, ${text})`,
    spelled: sql`${fold(text)}::text`,
    name: sql`${text.toLowerCase()}::text`,
  };
}

/** Documents that were named, that hold the words (a title weighs more than a body) or have a title spelled alike. */
export function rankByText(ctx: Context, typed: Typed): Sql {
  return sql`
    candidates as (
      select d.*, round((${scoreByText(typed)})::numeric, 6) as score
      from search_documents d
      where ${isFoundByText(ctx, typed)})`;
}

/** What is likely meant by a word that nothing is called: not much worse than the best, and not just anything. */
export const spellingMin = 0.3;
const spellingOfBestMin = 0.8;

/**
 * Documents with a title that is spelled a little like what was typed: letters left out, doubled or exchanged. How
 * little is a setting of PostgreSQL's (`pg_trgm.word_similarity_threshold`), which its index goes by.
 */
export function rankBySpelling(ctx: Context, typed: Typed): Sql {
  return sql`
    spelled as (
      select d.*, round((0.49 * word_similarity(${typed.spelled}, d.folded_title))::numeric, 6) as score
      from search_documents d
      where d.tenant_id = ${ctx.tenant.id} and ${isShown(ctx, typed)} and ${typed.spelled} <% d.folded_title),
    candidates as (
      select * from spelled where score >= ${spellingOfBestMin}::float8 * (select max(score) from spelled))`;
}

/** How much the ranks at the top of each list differ: the usual constant of reciprocal rank fusion. */
const fusionConstant = 60;

/** So many of what was found by text are ranked with the others. */
const textRanksMax = 200;

/**
 * The same and documents that mean the same: each counts by its ranks in both lists (reciprocal rank fusion), so that
 * two kinds of scores need not be compared. What was named stands first, as ever.
 *
 * @param alike the documents by meaning, the most alike first
 */
export function rankByMeaning(ctx: Context, typed: Typed, alike: readonly DocumentKey[]): Sql {
  const reciprocal = (rank: Sql) => sql`coalesce(1.0 / (${fusionConstant} + ${rank}), 0)`;
  return sql`
    by_text as (
      select kind, subject_id, is_named, row_number() over (order by score desc, subject_id desc) as rank
      from (
        select d.kind, d.subject_id, ${isNamed(typed)} as is_named, ${scoreByText(typed)} as score
        from search_documents d
        where ${isFoundByText(ctx, typed)} order by score desc, d.subject_id desc limit ${textRanksMax}) as found),
    by_meaning as (
      select * from unnest(${alike.map(({ kind }) => kind)}::text[], ${alike.map(({ id }) => id)}::text[])
        with ordinality as near(kind, subject_id, rank)),
    candidates as (
      select d.*, round((case when t.is_named then 1
          else 0.99 * (${reciprocal(sql`t.rank`)} + ${reciprocal(sql`m.rank`)}) * (${fusionConstant} + 1) / 2
          end)::numeric, 6) as score
      from by_text t full join by_meaning m on m.kind = t.kind and m.subject_id = t.subject_id
      join search_documents d on d.tenant_id = ${ctx.tenant.id}
        and d.kind = coalesce(t.kind, m.kind) and d.subject_id = coalesce(t.subject_id, m.subject_id)
      where ${isShown(ctx, typed)})`;
}

const isNamed = ({ name }: Typed) => sql`${name} = any(d.names)`;

function scoreByText(typed: Typed): Sql {
  const { words, spelled } = typed;
  return sql`case when ${isNamed(typed)} then 1
    else 0.5 * ts_rank(d.vector, ${words}, 32) + 0.49 * word_similarity(${spelled}, d.folded_title) end`;
}

function isFoundByText(ctx: Context, typed: Typed): Sql {
  const { words, spelled, name } = typed;
  return sql`d.tenant_id = ${ctx.tenant.id} and ${isShown(ctx, typed)}
    and (d.vector @@ ${words} or ${spelled} <% d.folded_title or d.names @> array[${name}])`;
}

function isShown(ctx: Context, { kinds }: Typed): Sql {
  const now = ctx.clock.now();
  return sql`d.kind = any(${kinds}::text[])
    and (d.visible_from is null or d.visible_from <= ${now}) and (d.visible_until is null or d.visible_until > ${now})`;
}
