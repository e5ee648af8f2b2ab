import { hostname, userInfo } from 'node:os';
import type { Terminal } from './command.ts';

/** Who runs this command, as far as a machine knows: with the time, its own logs lead from there to the person. */
export function userAndMachine({ environment }: Pick<Terminal, 'environment'>): string {
  return `${nameOfUser()}@${environment['DYNO'] ?? hostname()}`;
}

/** In a container the number of the user may have no name. */
function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}
