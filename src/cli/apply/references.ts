/** A reference to the environment in the text of a store file, and its escape: `${NAME}` and `$${NAME}`. */
const written = /(\$?)\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Characters of Unicode's private area replace `$`, `{` and `}` while YAML is parsed. */
const placeholders = { reference: '\uE000', escape: '\uE001', end: '\uE002' };
const placeholder = /\uE000\uE000([A-Za-z_][A-Za-z0-9_]*)\uE002|\uE001\uE001\uE001([A-Za-z_][A-Za-z0-9_]*)\uE002/g;

/**
 * Hide references from the YAML parser, for which a brace inside `{ … }` or `[ … ]` starts a map. The text keeps its
 * length, so that lines and columns stay right.
 */
export function hideReferences(text: string): string {
  return text.replace(
    written,
    (_, dollar: string, name: string) =>
      `${dollar ? placeholders.escape.repeat(3) : placeholders.reference.repeat(2)}${name}${placeholders.end}`,
  );
}

/** Replace each reference by what `resolve` returns for it. The values are never parsed. */
export function resolveReferences(text: string, resolve: (name: string) => string): string {
  return text.replace(placeholder, (_, name?: string, escaped?: string) => (name ? resolve(name) : `\${${escaped}}`));
}

/** The text as it was written. */
export function showReferences(text: string): string {
  return text.replace(placeholder, (_, name?: string, escaped?: string) => (name ? `\${${name}}` : `$\${${escaped}}`));
}
