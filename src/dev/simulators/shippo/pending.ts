/** Work that a simulator still owes: labels that settle later, webhooks on their way. */
export interface PendingWork {
  count(): number;
  /** Do something after a while, or when what this returns is called; it counts until it is done. */
  later(delayMs: number, work: () => void | Promise<void>): () => void;
  /** True once nothing is owed, false when that takes longer than the time given. */
  idle(timeoutMs: number): Promise<boolean>;
  /** Forget whatever has not begun. */
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
        const settle = (idle: boolean) => {
          clearTimeout(deadline);
          waiting.delete(wake);
          resolve(idle);
        };
        const wake = () => settle(true);
        const deadline = setTimeout(() => settle(false), timeoutMs);
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
