import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export interface Account {
  uid: number;
  gid: number;
}

/**
 * The account that PostgreSQL, which refuses to be root, runs as when we are root: one that is there
 * already, since creating one would change the machine. Undefined when we are an ordinary user.
 */
export function unprivilegedAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find(([name]) => name === wanted) ?? [];
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('PostgreSQL cannot run as root, and there is neither a postgres nor a nobody account.');
}

/** Whether every account may pass through all folders down to `path`. */
export function isReachable(path: string): boolean {
  const isOpen = (statSync(path).mode & 0o001) !== 0;
  return isOpen && (path === dirname(path) || isReachable(dirname(path)));
}
