import { causesOf, codeOf } from '#src/lib/errors.ts';

/**
 * Whether an error means that PostgreSQL is unavailable, rather than that it rejected the statement: the network does
 * not reach it, it does not respond, or it says so itself.
 */
export const isDatabaseAway = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || causesOf(error).some((cause) => networkCodes.test(codeOf(cause)));

/**
 * Whether PostgreSQL itself said that it is unavailable: it rejects or ends connections, its disk or its memory is full,
 * or it has become a standby of its successor; or its driver, that a connection was lost or does not respond. Unlike an
 * error of the network, it cannot be that of another server.
 */
export const isDatabaseUnavailable = (error: unknown): boolean =>
  causesOf(error).some(
    (cause) =>
      unavailableCodes.test(codeOf(cause)) ||
      ('severity' in cause && cause.severity === 'FATAL') ||
      lostMessages.test(cause.message),
  );

/** Also of a process or a machine that has no file descriptor left for a connection. */
const networkCodes =
  /^(EAI_AGAIN|ECONNABORTED|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|EMFILE|ENETUNREACH|ENFILE|ENOTFOUND|EPIPE|ETIMEDOUT)$/;

/** Of SQLSTATE: connections, shutdowns, no disk space, no memory, too many connections, read-only. */
const unavailableCodes = /^(08\w{3}|57P\d\d|53[0-3]00|25006)$/;

/** What the driver says without a code. */
export const lostMessages =
  /^(Connection terminated|timeout expired$|timeout exceeded when trying to connect|Query read timeout|Client (was closed|has encountered a connection error))/;
