/** How long to wait, and when to stop waiting. */
export interface EmbedOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
}

/**
 * Turns texts into vectors: those of texts that mean the same lie close to each other.
 */
export interface Embedder {
  /** Names what makes the vectors. Vectors of different models cannot be compared. */
  readonly model: string;
  /**
   * A vector for each text, in their order, all of one length. Throws ProviderError: `refused` when one of the texts
   * is not one that it takes.
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]>;
  /** Let go of the connections. */
  close?(): Promise<void>;
}
