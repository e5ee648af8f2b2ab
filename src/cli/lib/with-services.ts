import { readConfig } from '#src/config.ts';
import { proveDatabase } from '#src/database/prove-database.ts';
import type { Context, PlatformContext } from '#src/domain/context.ts';
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
export async function withStore<Result>(
  terminal: Terminal,
  slug: string,
  work: (ctx: Context, services: Services) => Promise<Result>,
): Promise<Result> {
  return withServices(terminal, async (services, ctx) => {
    const tenant = await services.tenants.bySlug(slug);
    if (!tenant) throw new Failure(`There is no store with the slug "${slug}".`);
    return work({ ...ctx, tenant }, services);
  });
}
