/**
 * Whether an error means that PostgreSQL is unavailable, rather than that it rejected the statement: the network does
 * not reach it, it does not respond, it rejects or ends connections, or it has become a standby of its successor.
 */
export function isDatabaseAway(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string' && awayCodes.test(cause.code)) return true;
    if (awayMessages.test(cause.message)) return true;
  }
  return false;
}

/** Codes of the system; classes and codes of SQLSTATE: connections, shutdowns, too many connections, read-only. */
const awayCodes =
  /^(EAI_AGAIN|ECONNABORTED|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EPIPE|ETIMEDOUT|08\w{3}|57P\d\d|53300|25006)$/;

/** What the driver says without a code. */
const awayMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client (was closed|has encountered a connection error))/;
