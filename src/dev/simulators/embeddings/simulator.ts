import { createServer } from 'node:http';
import Koa from 'koa';

import { listen } from '../listen.ts';
import { embeddingsRoutes } from './routes.ts';

export interface EmbeddingsSimulatorOptions {
  /** The default is a free one. */
  port?: number;
  host?: string;
  /** The default is 256; a request may set others. */
  dimensions?: number;
}

export interface EmbeddingsSimulator {
  /** Without the path: the endpoint is `/v1/embeddings` below it. */
  url: string;
  port: number;
  close(): Promise<void>;
}

/** An OpenAI-compatible embeddings endpoint that knows a few synonyms and is deterministic. */
export async function startEmbeddingsSimulator(options: EmbeddingsSimulatorOptions = {}): Promise<EmbeddingsSimulator> {
  const host = options.host ?? '127.0.0.1';
  const app = new Koa();
  app.use(embeddingsRoutes(options.dimensions ?? 256).routes());
  const server = createServer(app.callback());
  const port = await listen(server, options.port ?? 0, host);
  return {
    url: `http://${host}:${port}`,
    port,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}
