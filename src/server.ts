import { createServer } from 'node:http';

import { readConfig } from '#src/config.ts';
import { seconds } from '#src/lib/duration.ts';
import { refuseToStart, runUntilSignalled } from '#src/lib/process.ts';
import { proveDatabase } from '#src/platform/prove-database.ts';
import { createServices } from '#src/services.ts';
import { createApp } from '#src/api/app.ts';

/** The web process: accepts requests and writes state. */
async function main(): Promise<void> {
  const config = readConfig();
  const services = await createServices(config, 'web');
  await proveDatabase(services.run);
  services.sharedMetrics.start();

  const server = createServer({ requestTimeout: seconds(30), headersTimeout: seconds(10) }, createApp(services).callback());
  server.keepAliveTimeout = seconds(75);
  server.listen(config.port, config.host, () => services.log.info({ host: config.host, port: config.port }, 'listening'));

  runUntilSignalled(async () => {
    services.beginClosing();
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeIdleConnections();
      setTimeout(() => server.closeAllConnections(), seconds(20)).unref();
    });
    await services.close();
  }, (error) => services.log.error({ err: error }, 'shutdown failed'));
}

await main().catch(refuseToStart);
