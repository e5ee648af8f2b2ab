/** Whether a text in a JSON value has NUL or half of a pair of surrogates, which PostgreSQL cannot store. */
export function holdsUnwritable(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0') || !value.isWellFormed();
  if (Array.isArray(value)) return value.some(holdsUnwritable);
  if (typeof value !== 'object' || value === null) return false;
  return Object.keys(value).some(holdsUnwritable) || Object.values(value).some(holdsUnwritable);
}
