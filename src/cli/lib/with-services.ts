import { readConfig } from '#src/config.ts';
import { proveDatabase } from '#src/database/prove-database.ts';
import type { Context, PlatformContext } from '#src/domain/context.ts';
import { listRemoved, readSessionSecret } from '#src/domain/tenants/index.ts';
import { DecryptionError } from '#src/lib/keyring.ts';
import { createLogger } from '#src/platform/logger.ts';
import { createServices, type Services } from '#src/services.ts';
import { Failure, type Terminal } from './command.ts';

/** The whole service, as an operator at a command line uses it. Closed when the work is over. */
export async function withServices<Result>(
  { environment }: Terminal,
  work: (services: Services, ctx: PlatformContext) => Promise<Result>,
): Promise<Result> {
  return withUnprovenServices(environment, async (services, ctx) => {
    await proveDatabase(services.execute, services.executeApart);
    await services.startClock();
    return work(services, ctx);
  });
}

/** The same for a database that may be unfit or unavailable: for checks of that. */
export async function withUnprovenServices<Result>(
  environment: Terminal['environment'],
  work: (services: Services, ctx: PlatformContext) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(environment);
  // Standard output is for the command's output, and logs are off unless requested.
  const level = environment['LOG_LEVEL'] ? config.logLevel : 'error';
  const services = await createServices(config, 'cli', { log: createLogger({ level, process: 'cli', to: 'stderr' }) });
  try {
    return await work(services, services.context({ actor: { kind: 'operator', id: 'cli' } }));
  } finally {
    await services.close();
  }
}

/** The same in the name of one store. */
export async function withStore<Result>(terminal: Terminal, slug: string, work: StoreWork<Result>): Promise<Result> {
  return withUnprovenStore(terminal, slug, async (ctx, services) => {
    await rejectOtherKeys(ctx);
    return work(ctx, services);
  });
}

/** The same for a store whose secret may be encrypted with a key that is lost. */
export async function withUnprovenStore<Result>(
  terminal: Terminal,
  slug: string,
  work: StoreWork<Result>,
): Promise<Result> {
  return withServices(terminal, async (services, ctx) => {
    const tenant = await services.tenants.bySlug(slug);
    if (!tenant) throw await noSuchStore(ctx, slug);
    return work({ ...ctx, tenant }, services);
  });
}

/** Whoever repeats a command whose end was not seen reads that it was done. */
export async function noSuchStore(ctx: PlatformContext, slug: string): Promise<Failure> {
  const removed = (await listRemoved(ctx)).findLast((store) => store.slug === slug);
  const when = removed ? `: it was removed at ${removed.removedAt.toISOString()} by ${removed.removedBy}` : '';
  return new Failure(`There is no store with the slug "${slug}"${when}.`);
}

type StoreWork<Result> = (ctx: Context, services: Services) => Promise<Result>;

/** Processes have the encryption keys of the store, and could not decrypt what is encrypted with others. */
export async function rejectOtherKeys(ctx: Context): Promise<void> {
  const problem = await keyProblemOf(ctx);
  if (!problem) return;
  throw new Failure(
    `ENCRYPTION_KEYS are not those of ${ctx.tenant.slug}; nothing was changed. ${problem.message} ` +
      `If that key is lost, first: npm run cli -- tenants rotate-secret ${ctx.tenant.slug}`,
  );
}

/** Why the store's secret cannot be decrypted; `undefined` if it can. */
export async function keyProblemOf(ctx: Context): Promise<DecryptionError | undefined> {
  try {
    await readSessionSecret(ctx);
    return undefined;
  } catch (error) {
    if (error instanceof DecryptionError) return error;
    throw error;
  }
}
