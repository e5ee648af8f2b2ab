const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as HTML, also between the quotes of an attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** The same, with its line ends kept. */
export function paragraphs(text: string): string {
  return escapeHtml(text).replaceAll('\n', '<br>');
}
