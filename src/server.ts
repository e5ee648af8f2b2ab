import { createServer } from 'node:http';

import { readConfig } from '#src/config.ts';
import { seconds } from '#src/lib/duration.ts';
import { refuseToStart, runUntilSignalled } from '#src/lib/process.ts';
import { proveDatabase } from '#src/platform/prove-database.ts';
import { createServices } from '#src/services.ts';
import { createApp } from '#src/api/app.ts';
import { stopServing } from '#src/api/lib/stop-serving.ts';

/** Together below the 30 seconds after which Heroku kills: a router notices, and what is under way ends. */
const noticeMs = seconds(5);
const patienceMs = seconds(20);
/** On a developer's machine there is no router but a test's. */
const localNoticeMs = seconds(1);

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
    await stopServing(server, { noticeMs: config.settings.localMode ? localNoticeMs : noticeMs, patienceMs });
    await services.close();
  }, (error) => services.log.error({ err: error }, 'shutdown failed'));
}

await main().catch(refuseToStart);
