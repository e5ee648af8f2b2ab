/**
 * Drops PGHOST, PGSSLMODE and the like from this process's environment, and so from its children's:
 * they speak of another server, and the client would mix them with the address that it was given.
 */
export function forgetPostgresVariables(): void {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('PG')) delete process.env[name];
  }
}
