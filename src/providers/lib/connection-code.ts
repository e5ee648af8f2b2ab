/**
 * The system's code for why a connection failed, such as `ENOTFOUND` for a name that DNS does not know. It is in the error
 * that an SDK wraps, or in the cause of that.
 */
export function connectionCodeOf(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? cause.code : undefined;
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code)) return code;
  }
  return undefined;
}
