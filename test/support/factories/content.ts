import { transact } from '#src/database/transact.ts';
import { type EntryInput, saveEntry } from '#src/domain/content/index.ts';
import type { Context } from '#src/domain/context.ts';
import { fromNow } from '#src/lib/clock.ts';
import { randomText } from '#src/lib/crypto.ts';
import { minutes } from '#src/lib/duration.ts';

/** An article that was published a minute ago. `given` overrides fields. */
export async function buildEntry(ctx: Context, given: Partial<EntryInput> = {}): Promise<EntryInput> {
  const entry: EntryInput = {
    type: 'article',
    slug: `entry-${randomText(8)}`,
    title: 'How to care for wood',
    summary: 'Oil it.',
    body: { format: 'markdown', value: '# Oil' },
    published_at: fromNow(ctx.clock, -minutes(1)).toISOString(),
    ...given,
  };
  await transact(ctx, (ctx) => saveEntry(ctx, entry));
  return entry;
}
