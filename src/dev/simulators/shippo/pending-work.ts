/** Work that a simulator does later: labels to resolve, webhooks to send. */
export interface PendingWork {
  count(): number;
  /** Do something after a delay, or when the returned function is called; it counts until it is done. */
  later(delayMs: number, work: () => void | Promise<void>): () => void;
  /** True once nothing is pending, false when that takes longer than the time given. */
  idle(timeoutMs: number): Promise<boolean>;
  /** Cancel what has not begun. */
  cancel(): void;
}

export function createPendingWork(): PendingWork {
  const timers = new Set<NodeJS.Timeout>();
  const waiting = new Set<() => void>();
  let running = 0;

  function finished(): void {
    if (timers.size + running > 0) return;
    for (const wake of waiting) wake();
  }

  return {
    count: () => timers.size + running,
    later(delayMs, work) {
      const begin = async () => {
        if (!timers.delete(timer)) return;
        clearTimeout(timer);
        running += 1;
        try {
          await work();
        } finally {
          running -= 1;
          finished();
        }
      };
      const timer = setTimeout(begin, delayMs);
      timers.add(timer);
      return begin;
    },
    idle(timeoutMs) {
      if (timers.size + running === 0) return Promise.resolve(true);
      return new Promise((resolve) => {
        const finish = (idle: boolean) => {
          clearTimeout(deadline);
          waiting.delete(wake);
          resolve(idle);
        };
        const wake = () => finish(true);
        const deadline = setTimeout(() => finish(false), timeoutMs);
        waiting.add(wake);
      });
    },
    cancel() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
      finished();
    },
  };
}
