/**
 * Whether an error means that PostgreSQL is unavailable, rather than that it rejected the statement: the network does
 * not reach it, it does not respond, or it says so itself.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (isDatabaseUnavailable(error)) return true;
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string' && networkCodes.test(cause.code)) return true;
  }
  return false;
}

/**
 * Whether PostgreSQL itself said that it is unavailable: it rejects or ends connections, its disk or its memory is full,
 * or it has become a standby of its successor; or its driver, that a connection was lost or does not respond. Unlike an
 * error of the network, it cannot be that of another server.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string' && unavailableCodes.test(cause.code)) return true;
    if ('severity' in cause && cause.severity === 'FATAL') return true;
    if (lostMessages.test(cause.message)) return true;
  }
  return false;
}

/** Also of a process or a machine that has no file descriptor left for a connection. */
const networkCodes =
  /^(EAI_AGAIN|ECONNABORTED|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|EMFILE|ENETUNREACH|ENFILE|ENOTFOUND|EPIPE|ETIMEDOUT)$/;

/** Of SQLSTATE: connections, shutdowns, no disk space, no memory, too many connections, read-only. */
const unavailableCodes = /^(08\w{3}|57P\d\d|53[0-3]00|25006)$/;

/** What the driver says without a code. */
export const lostMessages =
  /^(Connection terminated|timeout expired$|timeout exceeded when trying to connect|Query read timeout|Client (was closed|has encountered a connection error))/;
