/** Fields that never reach a log, at any depth. */
const secretFields = new Set([
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'key',
  'code',
  'email',
  'address',
  'body',
  'payload',
]);

/** The maximum depth of a log line. What is deeper is left out. */
const depthMax = 4;

/** The same fields with secrets replaced. Fields without secrets, as in most lines, are returned unchanged. */
export function redact(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return strike(fields, 1);
}

function strike(fields: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
  let struck: Record<string, unknown> = fields;
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    const clean = secretFields.has(name) ? '[redacted]' : strikeInside(value, depth);
    if (clean === value) continue;
    if (struck === fields) struck = { ...fields };
    struck[name] = clean;
  }
  return struck;
}

/** An error is the serializer's, which names what it lets through. */
function strikeInside(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error || value instanceof Date) return value;
  if (depth === depthMax) return '[too deep]';
  return Array.isArray(value) ? value.map((item) => strikeInside(item, depth + 1)) : strike({ ...value }, depth + 1);
}
