/**
 * Do this and exit when this process is stopped: by Ctrl-C, by SIGTERM, or by stopping the npm that started it, whose
 * shell ends on the signal without passing it on. A second signal exits at once.
 */
export function onStop(stop: () => Promise<unknown>, exitCode: number): void {
  let stopping = false;
  const handle = (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    void stop().then(() => process.exit(exitCode));
  };
  process.on('SIGINT', handle);
  process.on('SIGTERM', handle);
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    if (!stopping) handle();
  }, 500);
  watch.unref();
}
