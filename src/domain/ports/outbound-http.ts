/** Why there was no response from a URL that a customer gave us. */
export type HttpFailure = 'blocked_address' | 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'too_large';

/** The outcome of a request to a URL that a customer gave us. */
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
 * The only way to call a URL that a customer gave us: the IP address is checked and pinned when connecting, redirects
 * are not followed, time and size are limited. An expected network failure is a value, not an error.
 */
export interface OutboundHttp {
  /**
   * Check a URL before it is saved.
   * @param options `resolve: false` makes no DNS query, for use inside a transaction. A name that does not resolve now
   *   is not rejected, as it is checked again at each connect.
   * @returns why the URL may not be used, or `undefined` when it may
   */
  findUrlProblem(url: string, options?: { resolve?: boolean }): Promise<string | undefined>;
  /** Throws only when `signal` ends it. */
  post(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal?: AbortSignal,
  ): Promise<HttpOutcome>;
  /** Close the connections. */
  close?(): Promise<void>;
}
