import type { Services } from '#src/services.ts';

/** Waits for the next wake-up or for the poll interval, whichever comes first. */
export interface Wakes {
  next(withinMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Receive a wake-up when jobs are committed. One that arrives while nothing waits is stored for the next wait. */
export function subscribeToWakes(services: Services): Wakes {
  const subscriber = services.connectBlocking();
  let woken = false;
  let resume: (() => void) | undefined;

  function wake(): void {
    woken = true;
    resume?.();
  }

  subscriber.on('message', wake);
  subscriber.subscribe(services.wakeChannel).catch((error: unknown) => {
    services.log.warn({ err: error }, 'the relay receives no wake-ups and polls instead');
  });

  return {
    async next(withinMs) {
      if (!woken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, withinMs);
          resume = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      resume = undefined;
      woken = false;
    },
    async close() {
      wake();
      subscriber.disconnect();
    },
  };
}
