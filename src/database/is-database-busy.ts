import { causesOf, codeOf } from '#src/lib/errors.ts';

/** SQLSTATE of a statement or a lock that took too long, and of one of two transactions that waited for each other. */
const busyCodes = ['57014', '55P03', '40P01'];

/** Whether PostgreSQL ended a statement that took too long or waited for others: its transaction wrote nothing. */
export const isDatabaseBusy = (error: unknown): boolean =>
  causesOf(error).some((cause) => busyCodes.includes(codeOf(cause)));
