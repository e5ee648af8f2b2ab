import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A span as it was sent. */
export interface SentSpan {
  readonly process: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
}

/** A simulated OpenTelemetry collector. */
export interface Collector {
  readonly url: string;
  readonly spans: readonly SentSpan[];
  /** Everything that was sent, word for word. */
  readonly bodies: readonly unknown[];
  close(): void;
}

interface Exported {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: { traceId: string; spanId: string; parentSpanId?: string; name: string; kind: number }[] }[];
  }[];
}

const kinds = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;

export async function startCollector(): Promise<Collector> {
  const spans: SentSpan[] = [];
  const bodies: unknown[] = [];
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Exported;
    bodies.push(body);
    for (const { resource, scopeSpans } of body.resourceSpans) {
      const process = resource.attributes.find(({ key }) => key === 'service.instance.id')?.value.stringValue ?? '';
      for (const { traceId, spanId, parentSpanId = '', name, kind } of scopeSpans.flatMap((scope) => scope.spans)) {
        spans.push({ process, traceId, spanId, parentSpanId, name, kind: kinds[kind] ?? 'internal' });
      }
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    bodies,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
