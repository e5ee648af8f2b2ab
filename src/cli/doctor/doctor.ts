import { isDatabaseAway } from '#src/database/is-database-away.ts';
import type { Context, PlatformContext } from '#src/domain/context.ts';
import { listTenants, type Tenant } from '#src/domain/tenants/index.ts';
import { columns } from '../lib/columns.ts';
import { defineCommand, type Report } from '../lib/command.ts';
import { noSuchStore, withUnprovenServices } from '../lib/with-services.ts';
import { checkDatabase } from './check-database.ts';
import { checkMail } from './check-mail.ts';
import { checkPayments } from './check-payments.ts';
import { checkPepper } from './check-pepper.ts';
import { checkQueues } from './check-queues.ts';
import { checkRedis } from './check-redis.ts';
import { checkReplica } from './check-replica.ts';
import { checkSecrets } from './check-secrets.ts';
import { checkShipping } from './check-shipping.ts';
import { type Finding, fault } from './finding.ts';

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'Check everything that this service depends on; report problems and how to fix them.',
  options: {
    store: {
      type: 'string',
      value: 'slug',
      description: 'Only check the accounts of this store. Default: all stores that are not closed.',
    },
    problems: { type: 'boolean', description: 'Leave out what is ok.' },
  },
  async run({ options, terminal }): Promise<Report> {
    const findings = await withUnprovenServices(terminal.environment, async (services, ctx) => {
      const found: Finding[] = [];
      const checkArea = async (what: string, check: () => Promise<Finding[]>) => {
        terminal.progress(`Checking ${what}.`);
        const findings = await examined(what, check);
        found.push(...findings);
        return findings;
      };
      const database = await checkArea('the database', () => checkDatabase(services));
      await checkArea('the read replica', () => checkReplica(services));
      const redis = await checkArea('redis', () => checkRedis(services));
      await checkArea('the mail server', () => checkMail(ctx));
      // Without the tables of this release there is nothing more to be learned.
      if (database.some(({ about, level }) => level === 'fault' && (about === 'database' || about === 'schema')))
        return found;
      // As in every process: what is due, and whether Stripe's clock differs, depends on PostgreSQL's.
      await checkArea('the time', async () => services.startClock().then(() => []));
      const isRedisWell = !redis.some(({ about, level }) => level === 'fault' && about === 'redis');
      await checkArea('the workers', () => checkQueues(services, isRedisWell));
      await checkArea('the encryption keys', () => checkSecrets(ctx));
      await checkArea('the key pepper', () => checkPepper(ctx));
      found.push(...(await checkStores(ctx, await storesOf(ctx, options.store), terminal.progress)));
      return found;
    });
    return report(findings, options.problems);
  },
});

/** An unexpected error is a finding, too, and hides no other. */
async function examined(what: string, check: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    const said = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
    const reason = isDatabaseAway(error) ? 'the connection to PostgreSQL was lost' : said;
    return [fault(what, `It could not be checked: ${reason}.`, 'Fix the other problems first, then run doctor again.')];
  }
}

async function storesOf(ctx: Parameters<typeof listTenants>[0], slug: string | undefined): Promise<Tenant[]> {
  const stores = await listTenants(ctx);
  if (slug === undefined) return stores.filter(({ closedAt }) => closedAt === null);
  const named = stores.filter((store) => store.slug === slug);
  if (named.length === 0) throw await noSuchStore(ctx, slug);
  return named;
}

/** Nearly all of the time is spent waiting for providers, each store for its own accounts. */
const storesAtOnce = 8;

/** @returns the findings in the order of the stores */
async function checkStores(
  ctx: PlatformContext,
  stores: readonly Tenant[],
  progress: (message: string) => void,
): Promise<Finding[]> {
  progress(`Checking the accounts of ${stores.length === 1 ? 'one store' : `${stores.length} stores`}.`);
  const findings: Finding[][] = [];
  const waiting = stores.entries();
  let checked = 0;
  const checkNext = async () => {
    for (const [index, tenant] of waiting) {
      const inStore = (check: (ctx: Context) => Promise<Finding[]>) => async () =>
        (await check({ ...ctx, tenant })).map((finding) => ({ ...finding, store: tenant.slug }));
      findings[index] = [
        ...(await examined(`${tenant.slug} at Stripe`, inStore(checkPayments))),
        ...(await examined(`${tenant.slug} at its shipping providers`, inStore(checkShipping))),
      ];
      checked += 1;
      if (checked % 25 === 0) progress(`${checked} of ${stores.length} are checked.`);
    }
  };
  await Promise.all(Array.from({ length: storesAtOnce }, checkNext));
  return findings.flat();
}

const labels = { ok: 'ok', warning: 'warning', fault: 'FAULT' } as const;

function report(all: readonly Finding[], onlyProblems: boolean): Report {
  const findings = onlyProblems ? all.filter(({ level }) => level !== 'ok') : all;
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  const rows = findings.map(({ level, store, about, message }) => [labels[level], store ?? '', about, message]);
  const lines = columns(rows).flatMap((line, index) => {
    const advice = findings[index]?.advice;
    return advice ? [line, `         → ${advice}`] : [line];
  });
  const faults = count('fault');
  const warnings = count('warning');
  const sum = faults === 0 ? 'No fault' : faults === 1 ? 'One fault' : `${faults} faults`;
  return {
    failed: faults > 0,
    data: {
      ok: faults === 0,
      findings: findings.map(({ about, store, level, message, advice }) => ({
        about,
        store: store ?? null,
        level,
        message,
        advice: advice ?? null,
      })),
    },
    lines: [
      ...lines,
      ...(lines.length > 0 ? [''] : []),
      warnings === 0 ? `${sum}.` : `${sum}, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}.`,
    ],
  };
}
