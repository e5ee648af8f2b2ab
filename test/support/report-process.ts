import { readConfig } from '#src/config.ts';
import { silentLog } from '#src/lib/log.ts';
import { createServices, type Services } from '#src/services.ts';
import { until } from './until.ts';

/** A process of this name, as the others see it: it reports that it runs, and does nothing. */
export async function reportProcess(name: string, environment: Record<string, string>): Promise<Services> {
  const services = await createServices(readConfig(environment), name, { log: silentLog });
  services.sharedMetrics.start();
  await until(async () => (await services.sharedMetrics.readProcesses())?.length, { what: 'a report' });
  return services;
}
