import { controlCaller } from '../call-control.ts';
import type { EmbeddingsCounts, EmbeddingsFault } from './routes.ts';

export interface EmbeddingsControl {
  fault(fault: EmbeddingsFault): Promise<void>;
  clearFaults(): Promise<void>;
  counts(): Promise<EmbeddingsCounts>;
  reset(): Promise<void>;
}

/** A client of the control API of an embeddings simulator, in this process or another. */
export function embeddingsControl(url: string): EmbeddingsControl {
  const call = controlCaller(`${url}/_control`);
  return {
    fault: (fault) => call('POST', '/faults', fault),
    clearFaults: () => call('DELETE', '/faults'),
    counts: () => call('GET', '/counts'),
    reset: () => call('POST', '/reset'),
  };
}
