import type { EmbeddingsCounts, EmbeddingsFault } from './faults.ts';

export interface EmbeddingsControl {
  fault(fault: EmbeddingsFault): Promise<void>;
  clearFaults(): Promise<void>;
  counts(): Promise<EmbeddingsCounts>;
  reset(): Promise<void>;
}

/** Tells an embeddings simulator, in this process or another, how to behave. */
export function embeddingsControl(url: string): EmbeddingsControl {
  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await fetch(`${url}/_control${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${text}`);
    return JSON.parse(text === '' ? 'null' : text);
  }
  return {
    fault: (fault) => call('POST', '/faults', fault),
    clearFaults: () => call('DELETE', '/faults'),
    counts: () => call('GET', '/counts'),
    reset: () => call('POST', '/reset'),
  };
}
