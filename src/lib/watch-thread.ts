/** The utilization from which a thread is busy, and how often it is measured. */
const busyFrom = 0.5;
const pollIntervalMs = 25;

/** @returns a function that says whether this thread has been busy lately */
export function watchThread(): () => boolean {
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
