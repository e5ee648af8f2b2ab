/** An address as it is stored and compared: trimmed and lower case, so that one person is one customer. */
export function normaliseEmail(text: string): string {
  return text.trim().toLowerCase();
}
