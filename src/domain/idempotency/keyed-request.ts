/** A request that is run once: what its key is unique by (the tenant is the context's), and what it asks. */
export interface IdempotentRequest {
  readonly method: string;
  readonly path: string;
  /** Whose key it is: an API key's id, a session's, or `anonymous`. */
  readonly credential: string;
  /** Without one, the body stands for it, for a moment: a double click. */
  readonly key: string | undefined;
  readonly body: Buffer;
}

/** The request is this process's to run, as long as nobody holds a later lease. */
export interface ClaimedRequest {
  /** The same at every try of one request. */
  readonly id: string;
  readonly lease: number;
}
