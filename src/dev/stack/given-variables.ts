import { Environment } from '#src/environment.ts';

/** What a stack on this machine is by its nature. It reads in the logs of its processes that they are up. */
const settled = new Set(['APP_MODE', 'LOCAL_MODE', 'HOST', 'PORT', 'DYNO', 'LOG_LEVEL']);

/** What the shell says of the documented variables: it has its way over what a stack would set by itself. */
export function givenVariables(shell: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const names = Object.keys(Environment.properties).filter((name) => !settled.has(name));
  return Object.fromEntries(names.map((name) => [name, shell[name] ?? '']).filter(([, value]) => value !== ''));
}
