import { escapeHtml } from '#src/lib/html.ts';

/** Text as HTML, with its line ends kept. */
export function paragraphs(text: string): string {
  return escapeHtml(text).replaceAll('\n', '<br>');
}
