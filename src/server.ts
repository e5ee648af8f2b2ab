import { runUntilSignalled } from '#src/lib/process.ts';

/** The web process: accepts requests and writes state. */
await runUntilSignalled(async () => {
  const { serve } = await import('#src/serve.ts');
  return serve();
});
