import { asPlatform, continueAs } from '#src/database/transact.ts';
import { auditOfChange, recordAudits } from '#src/domain/audit/index.ts';
import type { Change } from '#src/domain/change.ts';
import type { PlatformContext } from '#src/domain/context.ts';
import { dryRunTransaction } from '#src/domain/dry-run-transaction.ts';
import { indexInLanguage } from '#src/domain/search/index.ts';
import { saveTenant } from '#src/domain/tenants/index.ts';
import { type ApplyOptions, type ApplyRun, placed } from './section.ts';
import { sections } from './sections.ts';
import type { StoreFile } from './store-file.ts';

/** What a run of `apply` did, or in a dry run would do. */
export interface Applied {
  readonly store: string;
  readonly dryRun: boolean;
  /** Everything that the file names, in its order; most of it unchanged on a second run. */
  readonly changes: readonly Change[];
  /** The created keys with their values, which are only shown once. */
  readonly keys: readonly { readonly name: string; readonly value: string }[];
  /** What an operator still has to do. */
  readonly notes: readonly string[];
}

/**
 * Reconcile a store with its file in one transaction: a file that is rejected changes nothing, and a dry run applies
 * the changes and rolls them back.
 * @throws RejectedInput when a domain rejects a part of it
 */
export async function applyStore(
  ctx: PlatformContext,
  { store, ...rest }: StoreFile,
  options: ApplyOptions & { readonly dryRun: boolean },
  progress: (message: string) => void,
): Promise<Applied> {
  const changes: Change[] = [];
  const keys: { name: string; value: string }[] = [];
  const notes: string[] = [];
  const given = new Map(Object.entries(rest));

  await dryRunTransaction<void>(options.dryRun, (finish) =>
    asPlatform(ctx, 'a store file creates its store and its content in one transaction', async (platform) => {
      const { tenant, change } = await placed('/store', () => saveTenant(platform, store));
      const ctx = await continueAs(platform, tenant);
      const run: ApplyRun = {
        ctx,
        options,
        progress,
        report: (change) => void changes.push(change),
        async record(kind, ...done) {
          changes.push(...done);
          const records = done
            .filter(({ action }) => action !== 'unchanged')
            .map((change) => auditOfChange(kind, change));
          if (records.length > 0) await recordAudits(ctx, records);
        },
        reveal: (key) => void keys.push(key),
        note: (message) => void notes.push(message),
      };
      await run.record('store', await indexInLanguage(ctx, change));
      if (change.fields.includes('currency'))
        run.note(
          'Amounts have no currency of their own: those that the file does not name, such as prices, keep their ' +
            `numbers, and are in ${tenant.currency} now.`,
        );
      if (tenant.closedAt)
        run.note(`${tenant.slug} is closed, and stays so. To open it again: tenants reopen ${tenant.slug}`);
      for (const section of sections) {
        if (given.has(section.name)) await section.apply(run, given.get(section.name));
      }
      await ctx.tx.em.flush();
      finish();
    }),
  );
  return { store: store.slug, dryRun: options.dryRun, changes, keys: options.dryRun ? [] : keys, notes };
}
