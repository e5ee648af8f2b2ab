import type { TestFn } from 'ava';

import { type EmbeddingsControl, embeddingsControl } from '#src/dev/simulators/embeddings/control.ts';
import { startEmbeddingsSimulator } from '#src/dev/simulators/embeddings/simulator.ts';
import { createTestRedis } from './redis.ts';
import { type ApiContext, useApi } from './use-api.ts';

export interface EmbeddingsContext extends ApiContext {
  embeddings: EmbeddingsControl;
}

/** `useApi`, with the real embedder talking to a simulator of its endpoint. */
export async function useEmbeddings(test: TestFn<EmbeddingsContext>): Promise<void> {
  const [simulator, redis] = await Promise.all([startEmbeddingsSimulator(), createTestRedis()]);
  const embeddings = embeddingsControl(simulator.url);
  useApi(test as unknown as TestFn<ApiContext>, {
    environment: {
      EMBEDDINGS_URL: simulator.url,
      EMBEDDINGS_KEY: 'sk-simulated',
      EMBEDDINGS_MODEL: 'simulated-1',
      REDIS_URL: redis.url,
    },
  });
  test.serial.beforeEach(async (t) => {
    t.context.embeddings = embeddings;
    await embeddings.reset();
  });
  test.after.always(() => simulator.close());
}
