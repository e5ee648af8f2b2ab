import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The next release: this one, with one more migration, column, queue, and a job in an old queue and in the new one. */
export interface NextRelease {
  readonly folder: string;
  /** Jobs that only it has, each scheduled every second. */
  readonly jobs: readonly string[];
  remove(): void;
}

/** What a build of the console, beside this, writes and replaces. No shopper opens it. */
const builtConsole = /\/console\/dist(-[\w-]+)?$/;

export function buildNextRelease(): NextRelease {
  const folder = mkdtempSync(join(tmpdir(), 'next-release-'));
  for (const part of ['package.json', 'src', 'jobs', 'workers', 'migrations'])
    cpSync(join(root, part), join(folder, part), { recursive: true, filter: (path) => !builtConsole.test(path) });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
  const change = (path: string, pattern: RegExp, replacement: string) => {
    const before = readFileSync(join(folder, path), 'utf8');
    const after = before.replace(pattern, replacement);
    if (after === before) throw new Error(`${path} is not as the next release expects it.`);
    write(path, after);
  };

  write(
    'migrations/9000-notes.ts',
    `
    import { Migration } from '@mikro-orm/migrations';
    export class Notes extends Migration {
      override up(): void {
        this.addSql("alter table orders add column note text not null default ''");
      }
    }`,
  );
  write(
    'jobs/notes.ts',
    `
    import { defineScheduledJob } from './lib/define-job.ts';
    export const writeNotes = defineScheduledJob({ name: 'notes.write-notes', everyMs: 1000 });
    export const readNotes = defineScheduledJob({ name: 'notes.read-notes', queue: 'notes', everyMs: 1000 });`,
  );
  write(
    'workers/notes-processors.ts',
    `
    import * as jobs from '#jobs/notes.ts';
    import { asPlatform } from '#src/database/transact.ts';
    import type { PlatformContext } from '#src/domain/context.ts';
    import { sql } from '#src/lib/sql.ts';
    import { platformProcessor } from '#workers/runtime/processor.ts';
    const write = (ctx: PlatformContext) =>
      asPlatform(ctx, 'a note', (ctx) => ctx.tx.execute(sql\`update orders set note = 'seen' where note = ''\`));
    export const processors = [platformProcessor(jobs.writeNotes, write), platformProcessor(jobs.readNotes, write)];`,
  );
  change(
    'jobs/queues.ts',
    /\n\} as const satisfies/,
    `\n  notes: { concurrency: 1, about: 'Notes.' },\n} as const satisfies`,
  );
  change('jobs/index.ts', /import \* as leads/, `import * as notes from './notes.ts';\nimport * as leads`);
  change('jobs/index.ts', / leads,/, ' leads, notes,');
  change(
    'workers/processors.ts',
    /import \* as leads /,
    `import { processors as notes } from './notes-processors.ts';\nimport * as leads `,
  );
  change('workers/processors.ts', /(processors: readonly Processor\[\] = \[)/, '$1\n  ...notes,');
  return {
    folder,
    jobs: ['notes.write-notes', 'notes.read-notes'],
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
