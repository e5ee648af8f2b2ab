import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

/** A webhook with a valid signature. */
export interface ReceivedEvent {
  id: string;
  type: string;
  data: { object: Record<string, unknown>; object_version: number };
}

/** The store owner's own system: it accepts webhooks with a valid signature. */
export interface Receiver {
  readonly url: string;
  readonly secret: string;
  readonly events: readonly ReceivedEvent[];
  readonly rejected: number;
  close(): void;
}

export async function startReceiver(): Promise<Receiver> {
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  const verifier = new Webhook(secret);
  const events: ReceivedEvent[] = [];
  let rejected = 0;

  const server = createServer((request, response) => {
    void text(request).then((body) => {
      try {
        verifier.verify(body, request.headers as Record<string, string>);
        events.push(JSON.parse(body));
        response.writeHead(204).end();
      } catch {
        rejected += 1;
        response.writeHead(400).end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    secret,
    events,
    get rejected() {
      return rejected;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
