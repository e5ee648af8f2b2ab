import type { PlatformContext } from './context.ts';

/** Whether to begin nothing more: the run is over, or the process was told to stop. */
export function isShuttingDown({ signal, stopping }: PlatformContext): boolean {
  return Boolean(signal?.aborted || stopping?.aborted);
}
