/**
 * Do this and exit when somebody asks this process to stop: by Ctrl-C, by SIGTERM, or by stopping the npm that started
 * it, whose shell dies of the signal without passing it on. Who asks twice does not wait.
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
  const starter = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === starter) return;
    clearInterval(watch);
    if (!stopping) handle();
  }, 500);
  watch.unref();
}
