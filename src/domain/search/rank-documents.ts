import { type Sql, sql } from '#src/lib/sql.ts';
import { normalizeText } from '../catalog/index.ts';
import type { Context } from '../context.ts';
import type { Guess } from './guess-words.ts';
import type { DocumentKey } from './request-embedding.ts';
import { textConfig } from './text-config.ts';

/** What a shopper typed, as PostgreSQL is asked for it. */
export interface Typed {
  readonly text: string;
  readonly kinds: readonly string[];
  /** What was probably meant, where anything was. */
  readonly guess: Guess | undefined;
}

const config = ({ tenant }: Context) => sql`${textConfig(tenant.locale)}::regconfig`;

/** The row of what was typed: read once, and not again for each document that it is held against. */
function typedRow(ctx: Context, { text, guess }: Typed): Sql {
  return sql`
    typed as materialized (
      select websearch_to_tsquery(${config(ctx)}, ${text}) as words,
        to_tsquery(${config(ctx)}, ${guess?.all ?? null}::text) as guessed_all,
        to_tsquery(${config(ctx)}, ${guess?.any ?? null}::text) as guessed_any,
        ${normalizeText(text)}::text as letters, ${text.toLowerCase()}::text as name)`;
}

/** Its words, in the language of the store. */
const words = sql`(select words from typed)`;
/** All of the words, and any of them, that it may be a slip of; null where there is no guess. */
const guessedAll = sql`(select guessed_all from typed)`;
const guessedAny = sql`(select guessed_any from typed)`;
/** Its letters, without case and accents. */
const letters = sql`(select letters from typed)`;
/** The slug or SKU that it may be. */
const name = sql`(select name from typed)`;

/** A text this short is its own snippet. */
const snippetWholeUpTo = 200;

/** So much of a longer one is looked through for a snippet. */
const snippetReadUpTo = 5000;

/** A plain text: search words are not marked in it. */
const headline = 'MaxFragments=1, MinWords=8, MaxWords=30, StartSel="", StopSel=""';

/** The part of a document `d` that holds what was typed. Costs more than finding the document: for those of a page only. */
export function snippet(ctx: Context): Sql {
  return sql`case when length(d.body) <= ${snippetWholeUpTo} then d.body
    else ts_headline(${config(ctx)}, left(d.body, ${snippetReadUpTo}), coalesce(${guessedAny}, ${words}), ${headline}) end`;
}

/** What is written, best first. `candidates` is what is found, with its score. */
export function rankByText(ctx: Context, typed: Typed): Sql {
  return sql`
    ${findByText(ctx, typed)},
    candidates as (select kind, subject_id, round(score::numeric, 6) as score from by_text)`;
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
    ${findByText(ctx, typed)},
    text_ranks as (
      select kind, subject_id, is_named, row_number() over (order by score desc, subject_id desc) as rank
      from (select * from by_text order by score desc, subject_id desc limit ${textRanksMax}) as best),
    meaning_ranks as (
      select near.* from unnest(${alike.map(({ kind }) => kind)}::text[], ${alike.map(({ id }) => id)}::text[])
        with ordinality as near(kind, subject_id, rank)
      where exists (
        select from search_documents d
        where d.tenant_id = ${ctx.tenant.id} and d.kind = near.kind and d.subject_id = near.subject_id and ${isShown(ctx)} offset 0)),
    candidates as (
      select kind, subject_id, round((case when t.is_named then 1
          else 0.99 * (${reciprocal(sql`t.rank`)} + ${reciprocal(sql`m.rank`)}) * (${fusionConstant} + 1) / 2
          end)::numeric, 6) as score
      from text_ranks t full join meaning_ranks m using (kind, subject_id))`;
}

/** Nobody reads on for longer: of more, the best are listed. */
const foundMax = 1000;

/**
 * Documents that were named or hold all the words (a title weighs more than a body). Only where there is none, those
 * that hold what was probably meant; and only where there is none of those either, titles that are spelled alike, such
 * as two words that were written as one. Each of the three scores below the one before.
 */
function findByText(ctx: Context, typed: Typed): Sql {
  const best = (isNamed: Sql, score: Sql, condition: Sql) => sql`
      select d.kind, d.subject_id, ${isNamed} as is_named, ${score} as score
      from search_documents d
      where d.tenant_id = ${ctx.tenant.id} and d.kind = any(${typed.kinds}::text[]) and ${isShown(ctx)} and ${condition}
      order by score desc, d.subject_id desc limit ${foundMax}`;
  const named = sql`${name} = any(d.names)`;
  return sql`
    ${typedRow(ctx, typed)},
    written as (${best(
      named,
      sql`case when ${named} then 1 else 0.5 + 0.49 * ts_rank(d.vector, ${words}, 32) end`,
      sql`(d.vector @@ ${words} or d.names @> array[${name}])`,
    )}),
    guessed as (${best(
      sql`false`,
      sql`0.25 * (d.vector @@ ${guessedAll})::int + 0.24 * ts_rank(d.vector, ${guessedAny}, 32)`,
      sql`d.vector @@ ${guessedAny} and numnode(${words}) > 0 and not exists (select from written)`,
    )}),
    spelled as (${best(
      sql`false`,
      sql`0.1 * (word_similarity(${letters}, d.normalized_title) + similarity(${letters}, d.normalized_title))`,
      sql`${letters} <% d.normalized_title and not exists (select from written) and not exists (select from guessed)`,
    )}),
    by_text as (select * from written union all select * from guessed union all select * from spelled)`;
}

function isShown(ctx: Context): Sql {
  const now = ctx.clock.now();
  return sql`(d.visible_from is null or d.visible_from <= ${now}) and (d.visible_until is null or d.visible_until > ${now})`;
}
