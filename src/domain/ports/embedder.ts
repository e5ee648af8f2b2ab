/** Limits of one call. */
export interface EmbedOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
}

/**
 * Turns texts into vectors: texts with a similar meaning have similar vectors.
 */
export interface Embedder {
  /** The model's name. Vectors of different models cannot be compared. */
  readonly model: string;
  /**
   * Returns a vector for each text, in order, all of the same length.
   * @throws ProviderError with the failure `refused` when a text is invalid
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]>;
  /** Close the connections. */
  close?(): Promise<void>;
}
