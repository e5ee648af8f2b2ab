import { createServer } from 'node:http';
import Koa from 'koa';

import { type Listening, listen } from '#src/dev/listen.ts';
import { embeddingsRoutes } from './routes.ts';

export interface EmbeddingsSimulatorOptions {
  /** The default is 256; a request may set others. */
  dimensions?: number;
}

/**
 * An OpenAI-compatible embeddings endpoint that knows a few synonyms and is deterministic: `/v1/embeddings`
 * below its URL.
 */
export function startEmbeddingsSimulator({ dimensions = 256 }: EmbeddingsSimulatorOptions = {}): Promise<Listening> {
  const app = new Koa();
  app.use(embeddingsRoutes(dimensions).routes());
  return listen(createServer(app.callback()));
}
