import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A Markdown file of the repository. */
export interface MarkdownFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

export const markdownFiles: readonly MarkdownFile[] = globSync('**/*.md', {
  cwd: root,
  exclude: ['**/node_modules/**'],
})
  .toSorted()
  .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

export function markdownFile(path: string): MarkdownFile {
  const found = markdownFiles.find((file) => file.path === path);
  if (!found) throw new Error(`There is no ${path}.`);
  return found;
}

/** A fenced block of code. */
export interface CodeBlock {
  readonly path: string;
  readonly language: string;
  readonly text: string;
  /** The test that the comment above the block names (`run by …`). */
  readonly runBy: string | undefined;
  /** Why no test can run it, as the comment above the block says (`not run: …`). */
  readonly notRun: string | undefined;
}

const fence = /(?:<!-- (?<comment>[^\n]*) -->\n)?^(?<indent> *)```(?<language>\w*)\n(?<text>[\s\S]*?)^ *```$/gm;

export function codeBlocksOf({ path, text }: MarkdownFile): CodeBlock[] {
  return [...text.matchAll(fence)].map(({ groups = {} }) => {
    const { comment = '', indent = '', language = '', text = '' } = groups;
    return {
      path,
      language,
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      runBy: /^run by (\S+)$/.exec(comment)?.[1],
      notRun: /^not run: (.+)$/.exec(comment)?.[1],
    };
  });
}

/** The block of this language that a test runs, by a text that it contains. */
export function codeBlock(path: string, language: string, containing: string): string {
  const block = codeBlocksOf(markdownFile(path)).find(
    (block) => block.language === language && block.text.includes(containing),
  );
  if (!block) throw new Error(`${path} has no ${language} block with "${containing}".`);
  return block.text;
}

/** The commands of a shell block, one by one: continued lines are joined, comments and `&&` separate. */
export function commandsOf({ text }: Pick<CodeBlock, 'text'>): string[] {
  return text
    .replaceAll(/\\\n\s*/g, ' ')
    .split(/\n| && /)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');
}

/** An npm script as documents call it: its name, and what follows `--`. */
export const npmCommand = /^(?:[A-Z_]+=\S+ )*npm (?:run )?(?:--silent )?([a-z:-]+)(?: -- (.*))?$/;

/** The commands of npm in the text between backquotes. */
export function inlineCommandsOf({ text }: MarkdownFile): string[] {
  return [...text.matchAll(/(?<!`)`((?:[A-Z_]+=\S+ )?npm [^`]+)`/g)].map(([, command = '']) =>
    command.replaceAll(/\s+/g, ' '),
  );
}

/** The rows of the table that follows a text, without head and rule; each row as its cells. */
export function tableAfter({ path, text }: MarkdownFile, before: string): string[][] {
  const start = text.indexOf(before);
  if (start < 0) throw new Error(`${path} has no "${before}".`);
  const [table = ''] = /(?:^\|.*\n)+/m.exec(text.slice(start)) ?? [];
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .slice(1, -1)
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll('\\|', '|')),
    );
}

/** Where a link of a document leads: a file from the root of the repository, and an anchor in it. */
export function resolveLink(from: string, target: string): { path: string; anchor: string } {
  const [file = '', anchor = ''] = target.split('#');
  return { path: file === '' ? from : join(dirname(from), file), anchor };
}

/** The anchors of a document's headings, as GitHub makes them. */
export function anchorsOf({ text }: MarkdownFile): string[] {
  const withoutBlocks = text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
  return [...withoutBlocks.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
