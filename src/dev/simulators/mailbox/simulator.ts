import { createServer } from 'node:http';
import Koa from 'koa';

import { onFreePort } from '#src/dev/embedded/free-port.ts';
import { listen } from '../listen.ts';
import { createMailFaultList } from './faults.ts';
import { mailboxRoutes } from './routes.ts';
import { startMailReceiver } from './smtp.ts';
import { createMessageStore } from './store.ts';

export interface MailboxOptions {
  /** The default is free ports. */
  smtpPort?: number;
  port?: number;
  host?: string;
}

export interface Mailbox {
  /** For `SMTP_URL`. */
  smtpUrl: string;
  /** The inbox page, and the base of its JSON. */
  url: string;
  close(): Promise<void>;
}

/** A mail server that delivers nothing, and a page to read what it received. */
export async function startMailbox(options: MailboxOptions = {}): Promise<Mailbox> {
  const host = options.host ?? '127.0.0.1';
  const store = createMessageStore();
  const faults = createMailFaultList();
  const startReceiver = (port: number) => startMailReceiver({ host, port, store, faults });
  // It may be down, and up again on the same port.
  const receiver = options.smtpPort ? await startReceiver(options.smtpPort) : (await onFreePort(startReceiver)).started;

  const app = new Koa();
  app.use(mailboxRoutes({ store, faults, receiver }).routes());
  const server = createServer(app.callback());
  const port = await listen(server, options.port ?? 0, host);

  return {
    smtpUrl: `smtp://${host}:${receiver.port}`,
    url: `http://${host}:${port}`,
    async close() {
      await receiver.setDown(true);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
