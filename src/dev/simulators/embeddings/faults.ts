/** One way to misbehave. */
export interface EmbeddingsFault {
  kind: 'status' | 'delay' | 'hang' | 'reset';
  /** The status to answer with; 500 unless told. */
  status?: number;
  /** Sent as `Retry-After`. */
  retry_after?: number;
  /** How long to wait. */
  ms?: number;
  /** How many requests it spoils; one unless told. */
  times?: number;
}

export interface EmbeddingsCounts {
  requests: number;
  /** Requests answered with vectors. */
  answered: number;
  /** Texts embedded. */
  inputs: number;
  tokens: number;
}

/** What may be told to the simulator, and what it has done. */
export interface EmbeddingsState {
  faults: { fault: EmbeddingsFault; left: number }[];
  counts: EmbeddingsCounts;
}

export function freshState(): EmbeddingsState {
  return { faults: [], counts: { requests: 0, answered: 0, inputs: 0, tokens: 0 } };
}

/** The fault that strikes the next request, which uses it up by one. */
export function strike(state: EmbeddingsState): EmbeddingsFault | undefined {
  const [first] = state.faults;
  if (!first) return undefined;
  first.left -= 1;
  if (first.left <= 0) state.faults.shift();
  return first.fault;
}
