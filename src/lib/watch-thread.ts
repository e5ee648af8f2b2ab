/** How often the utilization of the thread is measured. */
const pollIntervalMs = 25;

/**
 * @param busyFrom the utilization from which the thread is busy
 * @returns a function that says whether this thread has been busy since the call before, or in the last moment where
 *   calls follow each other quickly
 */
export function watchThread(busyFrom = 0.5): () => boolean {
  let isBusy = false;
  let measured = performance.eventLoopUtilization();
  let checkedAt = performance.now();

  return () => {
    const now = performance.now();
    if (now - checkedAt >= pollIntervalMs) {
      isBusy = performance.eventLoopUtilization(measured).utilization >= busyFrom;
      measured = performance.eventLoopUtilization();
      checkedAt = now;
    }
    return isBusy;
  };
}
