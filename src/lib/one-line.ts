/**
 * Text on one line, as headers and providers take it: white space and control characters become single spaces, and what
 * is longer than `charactersMax` ends in an ellipsis. A character is never cut in two.
 */
export function oneLine(text: string, charactersMax = Infinity): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (line.length <= charactersMax) return line;
  return `${line
    .slice(0, charactersMax - 1)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}…`;
}

/** A code as it was meant that people type in groups. */
export const withoutSpaces = (code: string): string => code.replaceAll(/\s/g, '');
