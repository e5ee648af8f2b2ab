import { once } from 'node:events';

import { createApp } from '#src/api/app.ts';
import { createHttpServer } from '#src/api/lib/http-server.ts';
import { stopServing } from '#src/api/lib/stop-serving.ts';
import { ConfigError, readConfig } from '#src/config.ts';
import { proveDatabase } from '#src/database/prove-database.ts';
import { seconds } from '#src/lib/duration.ts';
import type { Running } from '#src/lib/process.ts';
import { createServices } from '#src/services.ts';

/**
 * Together less than the 30 seconds after which Heroku kills: time for the router to notice, and for requests to end.
 */
const noticeMs = seconds(5);
const exitDelayMs = seconds(20);
/** On a developer's machine there is no router but a test's. */
const localNoticeMs = seconds(1);

/** Open the port and serve. */
export async function serve(): Promise<Running> {
  const config = readConfig();
  const services = await createServices(config, 'web');
  await proveDatabase(services.execute, services.executeApart);
  await services.proveSecrets();
  await services.startClock();
  services.sharedMetrics.start();

  const server = createHttpServer(services, createApp(services).callback());
  server.listen(config.port, config.host);
  await once(server, 'listening').catch((error: unknown) => {
    throw explainListening(error);
  });
  services.log.info({ host: config.host, port: config.port }, 'listening');

  return {
    log: services.log,
    async stop() {
      services.beginClosing();
      await stopServing(server, { noticeMs: config.settings.localMode ? localNoticeMs : noticeMs, exitDelayMs });
      await services.close();
    },
  };
}

function explainListening(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error)) return error;
  return new ConfigError([
    error.code === 'EADDRINUSE' || error.code === 'EACCES'
      ? `PORT cannot be used (${error.message}): free the port, or set another`
      : `HOST cannot be used (${error.message}): set an IP address of this machine`,
  ]);
}
