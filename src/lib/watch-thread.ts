/** How often the utilization of the thread is measured. */
const pollIntervalMs = 25;

/** @returns a function that measures which share of the time this thread was active since the call before */
export function measureThread(): () => number {
  let measured = performance.eventLoopUtilization();
  return () => {
    const { utilization } = performance.eventLoopUtilization(measured);
    measured = performance.eventLoopUtilization();
    return utilization;
  };
}

/**
 * @param busyFrom the utilization from which the thread is busy
 * @returns a function that says whether this thread has been busy since the call before, or in the last moment where
 *   calls follow each other quickly
 */
export function watchThread(busyFrom: number): () => boolean {
  const utilization = measureThread();
  let isBusy = false;
  let checkedAt = performance.now();

  return () => {
    const now = performance.now();
    if (now - checkedAt >= pollIntervalMs) {
      isBusy = utilization() >= busyFrom;
      checkedAt = now;
    }
    return isBusy;
  };
}
