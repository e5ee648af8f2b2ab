import { causesOf, codeOf } from '#src/lib/errors.ts';
import { isDatabaseUnavailable, lostMessages } from './is-database-away.ts';

/** Why PostgreSQL cannot be used: what it or the network said, and what an operator can do about it. */
export interface ConnectionFailure {
  readonly reason: string;
  readonly advice: string;
}

/** What a role that is not the owner of the tables lacks. */
export const ownerAdvice = 'Make the role of DATABASE_URL the owner of the database and its tables.';
const unreachable = 'Check that the server runs, and the host and port in DATABASE_URL.';
const noSpace = 'Enlarge the disk of the server, or free some of it. Everything continues by itself then.';
const readOnly =
  'It is a standby, or default_transaction_read_only is on for it, its role or its server: doctor says which.';
const noFiles = 'Raise the limit of open files of the process (ulimit -n), or that of the machine.';
const shared = 'Set the pooler of DATABASE_URL to session mode, or name the server itself.';
const summaries = new Map([
  [unreachable, 'PostgreSQL does not respond at DATABASE_URL'],
  [noSpace, 'PostgreSQL has no disk space left'],
  [readOnly, 'PostgreSQL accepts no changes'],
  [noFiles, 'The process can open no further file or connection'],
  [shared, 'A pooler lets several connections of DATABASE_URL share a session, as PgBouncer does in transaction mode'],
  [ownerAdvice, 'PostgreSQL denies a privilege to the role of DATABASE_URL'],
]);

/** What is wrong with a pooler in which one connection has the limits, locks and prepared statements of another. */
export const sharedSession: ConnectionFailure = { reason: `${summaries.get(shared)}.`, advice: shared };

/** By error code: SQLSTATE, or that of the system. */
const adviceByCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: unreachable,
  ECONNRESET: unreachable,
  EAI_AGAIN: unreachable,
  EHOSTUNREACH: unreachable,
  EMFILE: noFiles,
  ENETUNREACH: unreachable,
  ENFILE: noFiles,
  ENOTFOUND: unreachable,
  EPIPE: unreachable,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'Connect by a host name that its certificate contains, or accept any certificate with sslmode=no-verify.',
  ETIMEDOUT: unreachable,
  '25006': readOnly,
  '26000': shared,
  '28000': 'Correct the user of DATABASE_URL, or allow it from this machine in pg_hba.conf.',
  '28P01': 'Correct the user or the password of DATABASE_URL; percent-encode special characters in them.',
  '42501': ownerAdvice,
  '42P05': shared,
  '3D000': 'Create the database, or correct its name in DATABASE_URL.',
  '53100': noSpace,
  '53300': 'Raise the limit of the role, the database or the server, run fewer processes, or lower DATABASE_POOL_MAX.',
  '57P01': 'Start again when the server is up.',
  '57P02': 'Start again when the server is up.',
  '57P03': 'Start again when the server is up.',
};

/** By what a driver says without a code. */
const adviceByMessage: readonly (readonly [RegExp, string])[] = [
  [lostMessages, unreachable],
  [/does not support SSL/, 'Turn TLS on at the server, or remove sslmode from DATABASE_URL and unset PGSSLMODE.'],
  [/password must be a string/, 'Put the password into DATABASE_URL.'],
];

const certificateCode = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_|ERR_SSL_)/;

/**
 * `undefined` for an error that is about neither the connection nor its role.
 * @param variable the one whose URL was used
 */
export function explainConnection(error: unknown, variable = 'DATABASE_URL'): ConnectionFailure | undefined {
  for (const cause of causesOf(error)) {
    const advice = adviceFor(cause);
    if (!advice) continue;
    const summary = summaries.get(advice) ?? 'Connecting with DATABASE_URL failed';
    const named = (text: string) => text.replaceAll('DATABASE_URL', variable);
    return { reason: `${named(summary)}: ${messageOf(cause)}.`, advice: named(advice) };
  }
  return undefined;
}

function adviceFor(error: Error): string | undefined {
  const code = codeOf(error);
  const advice = adviceByCode[code] ?? adviceByMessage.find(([pattern]) => pattern.test(error.message))?.[1];
  if (advice) return advice;
  if (certificateCode.test(code))
    return 'Name the authority of its certificate with sslrootcert, or accept any with sslmode=no-verify.';
  if (isDatabaseUnavailable(error)) return 'Correct DATABASE_URL, or what the server allows: its log says more.';
  return undefined;
}

/** A host of several IPs fails with one error for each, and no message of its own. */
function messageOf(error: Error): string {
  const message = error instanceof AggregateError ? error.errors.map(String).join(', ') : error.message;
  return message.replace(/\.$/, '');
}
