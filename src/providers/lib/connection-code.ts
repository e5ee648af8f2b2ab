import { causesOf, codeOf } from '#src/lib/errors.ts';
/**
 * The system's code for why a connection failed, such as `ENOTFOUND` for a name that DNS does not know. It is in the error
 * that an SDK wraps, or in the cause of that.
 */
export const connectionCodeOf = (error: unknown): string | undefined =>
  causesOf(error)
    .map(codeOf)
    .find((code) => /^[A-Z][A-Z0-9_]+$/.test(code));
