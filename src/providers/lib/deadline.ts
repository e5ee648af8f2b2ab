/** The signal and the time limit of a call; by default the limit of its kind. */
export interface Limits {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/**
 * Uses a timer of its own: a signal combined by AbortSignal.any can be garbage-collected while a request waits on it.
 */
export function startDeadline(
  { signal, timeoutMs }: Limits,
  usualTimeoutMs: number,
): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason ?? new DOMException('The call timed out.', 'TimeoutError'));
  const timer = setTimeout(abort, timeoutMs ?? usualTimeoutMs);
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort, { once: true });
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    },
  };
}
