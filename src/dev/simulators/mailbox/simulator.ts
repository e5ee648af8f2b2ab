import { createServer } from 'node:http';
import Koa from 'koa';

import { onFreePort } from '#src/dev/embedded/free-port.ts';
import { type Listening, listen } from '#src/dev/listen.ts';
import { Faults } from '../faults.ts';
import type { MailFault } from './faults.ts';
import { mailboxRoutes } from './routes.ts';
import { startMailReceiver } from './smtp.ts';
import { createMessageStore } from './store.ts';

/** Its URL is the inbox page, and the base of its JSON. */
export interface Mailbox extends Listening {
  /** For `SMTP_URL`. */
  readonly smtpUrl: string;
}

/** A mail server that delivers nothing, and a page to read the last messages that it received. */
export async function startMailbox({ storedMax = 5000 }: { storedMax?: number | undefined } = {}): Promise<Mailbox> {
  const store = createMessageStore(storedMax);
  const faults = new Faults<MailFault>();
  // It may be down, and up again on the same port.
  const { port, started: receiver } = await onFreePort((port) => startMailReceiver({ port, store, faults }));

  const app = new Koa();
  app.use(mailboxRoutes({ store, faults, receiver }).routes());
  const pages = await listen(createServer(app.callback()));

  return {
    smtpUrl: `smtp://127.0.0.1:${port}`,
    url: pages.url,
    async close() {
      await receiver.setDown(true);
      await pages.close();
    },
  };
}
