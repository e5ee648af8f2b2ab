/** SQLSTATE of a statement or a lock that took too long, and of one of two transactions that waited for each other. */
const busyCodes = ['57014', '55P03', '40P01'];

/** Whether PostgreSQL ended a statement that took too long or waited for others: its transaction wrote nothing. */
export function isDatabaseBusy(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && busyCodes.some((code) => code === cause.code)) return true;
  }
  return false;
}
