/** Why no answer came from an address that a customer gave us. */
export type HttpFailure = 'blocked_address' | 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'too_large';

/** What came back from an address that a customer gave us. */
export type HttpOutcome =
  | {
      readonly kind: 'responded';
      readonly status: number;
      /** The first 4 KB, as text. */
      readonly body: string;
      readonly retryAfterSeconds: number | undefined;
      readonly durationMs: number;
    }
  | { readonly kind: 'failed'; readonly reason: HttpFailure; readonly durationMs: number };

/**
 * The only way to an address that a customer gave us: checked and pinned at connect, never redirected, bounded in
 * time and size. An expected network failure is a value, not an error.
 */
export interface OutboundHttp {
  /**
   * Why this address may not be used, as a sentence, or `undefined` when it may. For checking when it is saved.
   *
   * `resolve: false` judges the address as it is written and asks no name server, so that it may be called inside a
   * transaction. A name that does not resolve now is not refused: it is judged again at each connect.
   */
  findUrlProblem(url: string, options?: { resolve?: boolean }): Promise<string | undefined>;
  /** Throws only when `signal` ends it. */
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal?: AbortSignal,
  ): Promise<HttpOutcome>;
  /** Let go of the connections. */
  close?(): Promise<void>;
}
