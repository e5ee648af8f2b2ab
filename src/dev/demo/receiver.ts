import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

import { verifyWebhook, type WebhookEvent, type WebhookEvents } from '#src/client/src/index.ts';
import { listen } from '#src/dev/listen.ts';

/** The store owner's own system: it accepts webhooks with a valid signature. */
export interface Receiver {
  readonly url: string;
  readonly secret: string;
  readonly events: readonly WebhookEvent[];
  readonly rejected: number;
  eventsOf<Type extends keyof WebhookEvents>(type: Type): readonly WebhookEvents[Type][];
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  const events: WebhookEvent[] = [];
  let rejected = 0;

  const server = createServer((request, response) => {
    void text(request).then((body) => {
      try {
        events.push(verifyWebhook(body, request.headers, secret));
        response.writeHead(204).end();
      } catch {
        rejected += 1;
        response.writeHead(400).end();
      }
    });
  });
  const { url, close } = await listen(server);
  // It runs beside a stack: where that could not start, nothing is left that keeps the process.
  server.unref();
  return {
    url: `${url}/hooks`,
    secret,
    events,
    get rejected() {
      return rejected;
    },
    eventsOf: <Type extends keyof WebhookEvents>(type: Type) =>
      events.filter((event): event is WebhookEvents[Type] => event.type === type),
    close,
  };
}
