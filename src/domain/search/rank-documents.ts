import { normalizeText } from '#src/lib/normalize-text.ts';
import { allOf, rawSql, type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { Guess } from './guess-words.ts';
import type { DocumentKey } from './request-embedding.ts';
import { textConfig } from './text-config.ts';
import { containing, unspacedPattern } from './vocabulary.ts';

/** What a shopper typed, with its correction. */
export interface Typed {
  readonly text: string;
  readonly kinds: readonly string[];
  /** The corrected words, if there are any. */
  readonly guess: Guess | undefined;
}

const config = ({ tenant }: Context) => sql`${textConfig(tenant.locale)}::regconfig`;

/** A dash that excludes neither a word nor a phrase. PostgreSQL rejects a query with more than 32 of them in a row. */
const strayDash = /-(?![\p{L}\p{N}"])/gu;

/** A query in the syntax of `websearch_to_tsquery`, and the part of it that says what is left out. */
function parse(text: string): { query: string; excluded: string } {
  const parts = text.replace(strayDash, ' ').match(/-?"[^"]*"|\S+/g) ?? [];
  const excluded = parts.filter((part) => /^-["\p{L}\p{N}]/u.test(part));
  // The end of a SKU, or a temperature: what leaves out all that it says would find everything else.
  if (excluded.length === parts.length) return { query: parts.map((part) => part.slice(1)).join(' '), excluded: '' };
  return { query: parts.join(' '), excluded: excluded.join(' ') };
}

/** A common table expression with the parsed query, so that it is parsed once and not for each document. */
function typedRow(ctx: Context, { text, guess }: Typed): Sql {
  const { query, excluded } = parse(text);
  return sql`
    typed as materialized (
      select websearch_to_tsquery(${config(ctx)}, ${query}) as words,
        websearch_to_tsquery(${config(ctx)}, ${excluded}) as without,
        to_tsquery(${config(ctx)}, ${guess?.all ?? null}::text) as guessed_all,
        to_tsquery(${config(ctx)}, ${guess?.any ?? null}::text) as guessed_any,
        ${normalizeText(text)}::text as normalized, ${text.toLowerCase()}::text as name)`;
}

/** Its words, in the language of the store. */
const words = sql`(select words from typed)`;
/** That none of what is to be left out is there; without nodes where nothing is. */
const without = sql`(select without from typed)`;
/** All of the corrected words, and any of them; null without a correction. */
const guessedAll = sql`(select guessed_all from typed)`;
const guessedAny = sql`(select guessed_any from typed)`;
/** The typed text without case and accents. */
const normalized = sql`(select normalized from typed)`;
/** The typed text as a slug or SKU. */
const name = sql`(select name from typed)`;

/** A body of at most this length is its own snippet. */
const snippetWholeUpTo = 200;

/** How much of a longer body is searched for a snippet. */
const snippetReadUpTo = 5000;

/** Plain text: the search words are not highlighted. */
const headline = 'MaxFragments=1, MinWords=8, MaxWords=30, StartSel="", StopSel=""';

/**
 * The part of a document `d` that contains the query. Costs more than finding the document: only for the rows of a
 * page.
 */
export function snippet(ctx: Context): Sql {
  return sql`case when length(d.body) <= ${snippetWholeUpTo} then d.body
    else ts_headline(${config(ctx)}, left(d.body, ${snippetReadUpTo}), coalesce(${guessedAny}, ${words}),
      ${headline}) end`;
}

/**
 * Common table expressions that rank by text. The last one, `candidates`, has the found documents with their scores.
 */
export function rankByText(ctx: Context, typed: Typed): Sql {
  return sql`
    ${findByText(ctx, typed)},
    candidates as (select kind, subject_id, round(score::numeric, 6) as score from by_text)`;
}

/** The usual constant of reciprocal rank fusion: a larger one makes the top ranks weigh less. */
const fusionConstant = 60;

/** How many documents found by text take part in the fusion. */
const textRanksMax = 200;

/**
 * Common table expressions that rank by text and meaning: each document counts by its ranks in both lists (reciprocal
 * rank fusion), so that two kinds of scores need not be compared. An exact slug or SKU still comes first.
 *
 * @param similar the documents by meaning, most similar first
 */
export function rankByMeaning(ctx: Context, typed: Typed, similar: readonly DocumentKey[]): Sql {
  const reciprocal = (rank: Sql) => sql`coalesce(1.0 / (${fusionConstant} + ${rank}), 0)`;
  return sql`
    ${findByText(ctx, typed)},
    text_ranks as (
      select kind, subject_id, is_named, row_number() over (order by score desc, subject_id desc) as rank
      from (select * from by_text order by score desc, subject_id desc limit ${textRanksMax}) as best),
    meaning_ranks as (
      select near.* from unnest(${similar.map(({ kind }) => kind)}::text[], ${similar.map(({ id }) => id)}::text[])
        with ordinality as near(kind, subject_id, rank)
      where exists (
        select from search_documents d
        where d.tenant_id = ${ctx.tenant.id} and d.kind = near.kind and d.subject_id = near.subject_id
          and ${isShown(ctx)} and (numnode(${without}) = 0 or d.vector @@ ${without}) offset 0)),
    candidates as (
      select kind, subject_id, round((case when t.is_named then 1
          else 0.99 * (${reciprocal(sql`t.rank`)} + ${reciprocal(sql`m.rank`)}) * (${fusionConstant} + 1) / 2
          end)::numeric, 6) as score
      from text_ranks t full join meaning_ranks m using (kind, subject_id))`;
}

/** The longest list of results, and how many documents of one kind or tier are ranked for it. */
const foundMax = 1000;

/** Words that so many of the newest `foundMax` documents contain are frequent: then only those are ranked. */
const frequentFrom = 100;

/**
 * Documents whose slug or SKU was typed or that contain all words (a title weighs more than a body). Without any, those
 * that contain the corrected words; without any of those either, titles with a similar spelling, such as two words
 * written as one, or with all that was typed inside of words: some languages have no spaces. Each of the three groups
 * scores below the one before.
 *
 * A search costs about what it returns, however many documents contain its words: see `tiers`.
 */
function findByText(ctx: Context, typed: Typed): Sql {
  const best = (isNamed: Sql, score: Sql, candidates: Sql, condition = sql`true`) => sql`
      select d.kind, d.subject_id, ${isNamed} as is_named, ${score} as score
      from (${candidates}) as d
      where ${condition}
      order by score desc, d.subject_id desc limit ${foundMax}`;
  const named = sql`${name} = any(d.names)`;
  const shown = documents(ctx, typed);
  const parts = partsOf(typed);
  return sql`
    ${typedRow(ctx, typed)},
    named as materialized (${shown} and d.names @> array[${name}]),
    ${tiers(ctx, typed, { group: 'written', all: words, any: words })},
    written as (${best(
      named,
      sql`case when ${named} then 1 else 0.5 + 0.49 * ts_rank(d.vector, ${words}, 32) end`,
      fromTiers(ctx, 'written', sql`union (select * from named limit ${foundMax})`),
    )}),
    ${tiers(ctx, typed, { group: 'guessed', all: guessedAll, any: guessedAny })},
    guessed as (${best(
      sql`false`,
      sql`0.25 * (d.vector @@ ${guessedAll})::int + 0.24 * ts_rank(d.vector, ${guessedAny}, 32)`,
      fromTiers(ctx, 'guessed'),
      sql`numnode(${words}) > 0 and not exists (select from written)`,
    )}),
    alike as materialized (
      ${shown} and (${normalized} <% d.normalized_title or ${allOf(...parts.map(titleHas))})${
        parts.some((part) => unspacedPattern.test(part)) ? sql` union ${newestContaining(ctx, typed, parts)}` : sql``
      }),
    spelled as (${best(
      sql`false`,
      sql`0.1 * (word_similarity(${normalized}, d.normalized_title) + similarity(${normalized}, d.normalized_title))`,
      readDocuments(ctx, sql`select * from alike limit ${foundMax}`),
      sql`not exists (select from written) and not exists (select from guessed)`,
    )}),
    by_text as (select * from written union all select * from guessed union all select * from spelled)`;
}

const partsMax = 8;

/** What was typed between spaces, without case and accents: in Japanese and Thai some of the words are spaced. */
const partsOf = ({ text }: Typed): string[] => normalizeText(text).split(/\s+/).slice(0, partsMax);

/** Whether the title of a document `d` contains this; not found where it is too short for the index. */
function titleHas(part: string): Sql {
  const pattern = containing(part);
  return pattern === undefined ? sql`false` : sql`d.normalized_title like ${pattern}`;
}

/** Of the newest documents, those with all of the parts in their titles. */
const newestContaining = (ctx: Context, typed: Typed, parts: readonly string[]): Sql => sql`
  select d.kind, d.subject_id from (${newestDocuments(ctx, typed)}) as d
  where ${isShown(ctx)} and ${allOf(...parts.map((part) => sql`strpos(d.normalized_title, ${part}) > 0`))}`;

/** The newest documents of each kind. */
const newestDocuments = (ctx: Context, { kinds }: Typed): Sql => sql`
  select d.* from unnest(${kinds}::text[]) as k(kind) cross join lateral (
    select * from search_documents d
    where d.tenant_id = ${ctx.tenant.id} and d.kind = k.kind
    order by d.subject_id desc limit ${foundMax}) as d`;

const documents = (ctx: Context, { kinds }: Typed): Sql => sql`
  select d.kind, d.subject_id from search_documents d
  where d.tenant_id = ${ctx.tenant.id} and d.kind = any(${kinds}::text[]) and ${isShown(ctx)}`;

/** Words to look for, all of them or any. */
interface Tiers {
  /** A prefix of the names of common table expressions. */
  readonly group: string;
  readonly all: Sql;
  readonly any: Sql;
}

/**
 * Common table expressions with the documents that contain any of the words, each read only as far as it is needed: the
 * newest documents one after the other, which finds enough of frequent words; otherwise, by their indexes, titles, then
 * documents with all of the words, then any. An index would list every document with a frequent word, and ranking reads
 * each of them.
 *
 * They have no limits inside: with one, PostgreSQL expects to find enough soon by reading the whole table.
 */
function tiers(ctx: Context, typed: Typed, { group, all, any }: Tiers): Sql {
  const prefix = rawSql(group);
  const inTitle = sql`ts_filter(d.vector, '{a}') @@ ${any}`;
  return sql`
    ${prefix}_newest as materialized (
      select d.kind, d.subject_id, d.names, d.vector, ${inTitle} as in_title, d.vector @@ ${all} as has_all
      from (${newestDocuments(ctx, typed)}) as d
      where ${isShown(ctx)} and d.vector @@ ${any}),
    ${prefix}_titles as materialized (${documents(ctx, typed)} and ${inTitle}),
    ${prefix}_all as materialized (${documents(ctx, typed)} and d.vector @@ ${all}),
    ${prefix}_any as materialized (${documents(ctx, typed)} and d.vector @@ ${any})`;
}

/**
 * The documents of the tiers. Those that were read as the newest are not looked up again.
 *
 * @param more keys of further documents, after `union`
 */
function fromTiers(ctx: Context, group: string, more = sql``): Sql {
  const newest = rawSql(`${group}_newest`);
  const tier = (name: string, isFrequent: string) => sql`(
      select * from ${rawSql(`${group}_${name}`)}
      where (select count(*) from ${newest} where ${rawSql(isFrequent)}) < ${frequentFrom} limit ${foundMax})`;
  return sql`
    select kind, subject_id, names, vector from ${newest}
    union all
    select kind, subject_id, names, vector from (
      ${readDocuments(
        ctx,
        sql`
        select * from (
          ${tier('titles', 'in_title')} union ${tier('all', 'has_all')} union ${tier('any', 'true')} ${more}) as found
        where not exists (select from ${newest} n where n.kind = found.kind and n.subject_id = found.subject_id)`,
      )}) as others`;
}

/** The documents with these keys. */
const readDocuments = (ctx: Context, keys: Sql): Sql => sql`
  select d.* from (${keys}) as c
  cross join lateral (
    select * from search_documents d
    where d.tenant_id = ${ctx.tenant.id} and d.kind = c.kind and d.subject_id = c.subject_id offset 0) as d`;

function isShown(ctx: Context): Sql {
  const now = ctx.clock.now();
  return sql`(d.visible_from is null or d.visible_from <= ${now})
    and (d.visible_until is null or d.visible_until > ${now})`;
}
