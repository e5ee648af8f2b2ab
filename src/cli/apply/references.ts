/** A reference to the environment in the text of a store file, and its escape: `${NAME}` and `$${NAME}`. */
const written = /(\$?)\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Characters that no text uses (Unicode's private area) stand for `$`, `{` and `}` while YAML is parsed. */
const marks = { reference: '\uE000', escape: '\uE001', end: '\uE002' };
const marked = /\uE000\uE000([A-Za-z_][A-Za-z0-9_]*)\uE002|\uE001\uE001\uE001([A-Za-z_][A-Za-z0-9_]*)\uE002/g;

/**
 * Hide references from the YAML parser, to which a brace inside `{ … }` or `[ … ]` opens a map. The text keeps its
 * length, so that every place in it keeps its line and column.
 */
export function hideReferences(text: string): string {
  return text.replace(
    written,
    (_, dollar: string, name: string) =>
      `${dollar ? marks.escape.repeat(3) : marks.reference.repeat(2)}${name}${marks.end}`,
  );
}

/** Put what `lookUp` says in the place of each reference. What is put in is never parsed. */
export function resolveReferences(text: string, lookUp: (name: string) => string): string {
  return text.replace(marked, (_, name?: string, escaped?: string) => (name ? lookUp(name) : `\${${escaped}}`));
}

/** The text as it was written. */
export function showReferences(text: string): string {
  return text.replace(marked, (_, name?: string, escaped?: string) => (name ? `\${${name}}` : `$\${${escaped}}`));
}
