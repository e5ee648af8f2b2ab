import type { EmbeddingsCounts, EmbeddingsFault } from './routes.ts';

export interface EmbeddingsControl {
  fault(fault: EmbeddingsFault): Promise<void>;
  clearFaults(): Promise<void>;
  counts(): Promise<EmbeddingsCounts>;
  reset(): Promise<void>;
}

/** A client of the control API of an embeddings simulator, in this process or another. */
export function embeddingsControl(url: string): EmbeddingsControl {
  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${url}/_control${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
    return JSON.parse(text === '' ? 'null' : text);
  }
  return {
    fault: (fault) => call('POST', '/faults', fault),
    clearFaults: () => call('DELETE', '/faults'),
    counts: () => call('GET', '/counts'),
    reset: () => call('POST', '/reset'),
  };
}
