/** Rings at every change, so that whoever waits for a state can look whether it has come. */
export class Bell {
  readonly #listeners = new Set<() => void>();

  ring(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** Resolve as soon as the state is there, or when the time is over: is it there? */
  until(reached: () => boolean, timeoutMs?: number): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (there: boolean): void => {
        clearTimeout(timer);
        this.#listeners.delete(look);
        resolve(there);
      };
      const look = (): void => {
        if (reached()) settle(true);
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => settle(reached()), timeoutMs);
      this.#listeners.add(look);
      look();
    });
  }
}
