/** What came back from an address that a customer gave us. */
export type HttpOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string; readonly retryAfterSeconds: number | undefined; readonly durationMs: number }
  | { readonly kind: 'failed'; readonly reason: 'blocked_address' | 'dns' | 'connect' | 'tls' | 'timeout' | 'reset' | 'too_large'; readonly durationMs: number };

/**
 * The only way to an address that a customer gave us: checked and pinned at connect, never redirected, bounded in
 * time and size. An expected network failure is a value, not an error.
 */
export interface OutboundHttp {
  /** Why this address may not be used, or `undefined` when it may. For checking when it is saved. */
  refuse(url: string): Promise<string | undefined>;
  post(url: string, headers: Readonly<Record<string, string>>, body: string, signal?: AbortSignal): Promise<HttpOutcome>;
}
