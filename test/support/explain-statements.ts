import type { PoolClient } from 'pg';
import { rawSql } from '#src/lib/sql.ts';
import type { Services } from '#src/services.ts';
import { isFrame } from './count-statements.ts';
import { interceptStatements } from './intercept-statements.ts';

/** What PostgreSQL does for one statement, in one of the two plans that a connection may use. */
export interface Explained {
  readonly text: string;
  /**
   * By the plan for the values that were given, or the generic one, which a connection uses for frequent statements.
   */
  readonly kind: 'custom' | 'generic';
  /** Rows handled in all steps of the plan, those that are thrown away included. */
  readonly handled: number;
  /** Rows that were read from tables and indexes, those that are thrown away included. */
  readonly read: number;
  /** Rows that the statement returned, inserted, updated or deleted. */
  readonly returned: number;
  /** Each scan of the plan, as `what relation: rows`. */
  readonly scans: readonly string[];
}

/**
 * Prevent PostgreSQL from analyzing these tables, as if they had just been filled: its plans must be good all the same.
 */
export async function leaveUnanalyzed(services: Services, tables: readonly string[]): Promise<void> {
  for (const table of tables) await services.execute(rawSql(`alter table ${table} set (autovacuum_enabled = off)`));
}

/**
 * Do something and have each statement explained by what it does, before it does it, and undone. Only for what runs
 * alone: two at once through one pool see each other's (`test.serial`).
 *
 * @param pattern of the statements that count
 * @param timesMax how often a statement is explained at most
 * @param isLarge whether tables are never read as a whole where an index fits, as PostgreSQL decides when they are
 *   large
 */
export async function explainStatements(
  services: Services,
  work: () => Promise<unknown>,
  {
    pattern = /./,
    timesMax = Infinity,
    isLarge = false,
  }: { pattern?: RegExp; timesMax?: number; isLarge?: boolean } = {},
): Promise<Explained[]> {
  const explained: Promise<Explained[]>[] = [];
  const times = new Map<string, number>();
  const end = interceptStatements(services.context().database.pool, (client) => {
    let isOpen = false;
    return ({ text, values, send }) => {
      if (/^\s*begin\b/.test(text)) isOpen = true;
      else if (/^\s*(commit|rollback)\b/.test(text)) isOpen = false;
      else if (!isFrame(text) && pattern.test(text) && (times.get(text) ?? 0) < timesMax) {
        times.set(text, (times.get(text) ?? 0) + 1);
        explained.push(explain(client, (other) => send([other]), { text, values }, isOpen, isLarge));
      }
      return send();
    };
  });
  try {
    await work();
    return (await Promise.all(explained)).flat();
  } finally {
    end();
  }
}

interface PlanNode {
  readonly Plans?: readonly PlanNode[];
  readonly [property: string]: unknown;
}

interface PlanRow {
  readonly 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }];
}

type Send = (given: string) => Promise<{ rows: PlanRow[] }>;

/** What is sent to a connection happens in its order, so the statement itself may be sent right after. */
async function explain(
  client: PoolClient,
  send: Send,
  { text, values }: { text: string; values: readonly unknown[] },
  isOpen: boolean,
  isLarge: boolean,
): Promise<Explained[]> {
  const given = values.length > 0 ? `(${values.map((value) => literalOf(client, value)).join()})` : '';
  const plan = (kind: Explained['kind']) => [
    send(`set local plan_cache_mode = force_${kind}_plan`),
    send(`explain (analyze, timing off, format json) execute explained${given}`),
    send('rollback to savepoint explained'),
  ];
  const results = await Promise.allSettled([
    ...(isOpen ? [] : [send('begin')]),
    send('savepoint explained'),
    send(`prepare explained as ${text}`),
    ...(isLarge ? [send('set local enable_seqscan = off')] : []),
    ...plan('custom'),
    ...plan('generic'),
    send('deallocate explained'),
    ...(isOpen ? [] : [send('rollback')]),
  ]);
  const plans = results.flatMap((result) => (result.status === 'fulfilled' ? result.value.rows : []));
  // One that PostgreSQL rejects is rejected in earnest, too.
  return (['custom', 'generic'] as const).flatMap((kind, index) => {
    const root = plans[index]?.['QUERY PLAN'][0].Plan;
    return root ? [{ text, kind, ...summaryOf(root) }] : [];
  });
}

/** A value as SQL has it: an explained statement takes no parameters. */
function literalOf(client: PoolClient, value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (value instanceof Date) return client.escapeLiteral(value.toISOString());
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'`;
  return client.escapeLiteral(
    Array.isArray(value) ? `{${value.map((item) => JSON.stringify(item)).join()}}` : String(value),
  );
}

const removals = ['Rows Removed by Filter', 'Rows Removed by Join Filter', 'Rows Removed by Index Recheck'];

function summaryOf(root: PlanNode): Omit<Explained, 'text' | 'kind'> {
  const nodes = nodesOf(root);
  const scans = nodes.filter(
    (node) => /Scan/.test(String(node['Node Type'])) && (node['Relation Name'] || node['Index Name']),
  );
  const changes = nodes.filter((node) => node['Node Type'] === 'ModifyTable').flatMap(({ Plans = [] }) => Plans);
  const sum = (some: readonly PlanNode[], rows: (node: PlanNode) => number) =>
    Math.round(some.reduce((total, node) => total + rows(node), 0));
  return {
    handled: sum(nodes, rowsThrough),
    read: sum(scans, rowsThrough),
    returned: sum([root, ...changes], rowsOut),
    scans: scans.map((node) => {
      const on = [node['Relation Name'], node['Index Name']].filter(Boolean).join(' by ');
      return `${node['Node Type']} ${on}: ${Math.round(rowsThrough(node))}`;
    }),
  };
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

const rowsOut = (node: PlanNode) => Number(node['Actual Rows'] ?? 0) * Number(node['Actual Loops'] ?? 0);

const rowsThrough = (node: PlanNode) =>
  rowsOut(node) + removals.reduce((sum, name) => sum + Number(node[name] ?? 0), 0) * Number(node['Actual Loops'] ?? 0);
