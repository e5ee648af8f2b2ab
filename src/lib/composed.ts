/** A text with composed characters (NFC), as texts are stored: keyboards and file systems write a letter in two ways. */
export const composed = (text: string): string => text.normalize('NFC');

/** JSON with composed characters, also where it names them by escapes. @throws SyntaxError */
export function parseComposedJson(text: string): unknown {
  const value: unknown = JSON.parse(composed(text));
  return text.includes('\\u') ? JSON.parse(composed(JSON.stringify(value))) : value;
}
