/** Something that this machine lacks and that we could not get by ourselves; the message says how to. */
export class MissingProgramError extends Error {
  override name = 'MissingProgramError';

  constructor(what: string, { install, cause }: { install: string; cause: unknown }) {
    const reason = cause instanceof Error ? cause.message.trim() : String(cause);
    const sentence = `${what}, and Debian's could not be unpacked (${reason}). Install it with:`;
    super(`${sentence}\n\n  ${install}\n`, { cause });
  }
}

/** The command that installs a Debian package on this machine. */
export function aptInstall(name: string): string {
  const asRoot = process.getuid?.() === 0 ? '' : 'sudo ';
  return `${asRoot}apt-get install --yes --no-install-recommends ${name}`;
}
