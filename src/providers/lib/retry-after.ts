/** The seconds of a Retry-After header, in whole ones; undefined for a date or anything else. */
export function readRetryAfter(header: string | null | undefined): number | undefined {
  const seconds = Number(header ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : undefined;
}
