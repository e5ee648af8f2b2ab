import { type RecoveredPurchase, recoverPurchases } from '#src/domain/shipping/index.ts';
import { columns } from './lib/columns.ts';
import { defineCommand } from './lib/command.ts';
import { readSince, timeHelp } from './lib/read-option.ts';
import { withStore } from './lib/with-services.ts';

export const recoverLabelsCommand = defineCommand({
  name: 'labels:recover',
  summary:
    'Record labels that Shippo sold since a time and that no order here has, because a backup was restored. ' +
    'Run replay first, and start workers afterwards.',
  parameters: { slug: 'The slug of the store.', since: timeHelp },
  options: { 'dry-run': { type: 'boolean', description: 'Print what would change without changing anything.' } },
  async run({ parameters: { slug, since }, options, terminal }) {
    const dryRun = options['dry-run'];
    const found = await withStore(terminal, slug, (ctx) =>
      recoverPurchases(ctx, { since: readSince(ctx.clock, '<since>', since), dryRun }),
    );
    const left = found.filter(({ result }) => result !== 'recorded');
    const recorded = found.filter(({ result }) => result === 'recorded');
    const number = `${recorded.length} ${recorded.length === 1 ? 'label' : 'labels'}`;
    return {
      failed: left.length > 0,
      data: {
        dry_run: dryRun,
        labels: found.map(({ purchaseId, orderNumber, trackingNumber, result }) => ({
          id: purchaseId,
          order_number: orderNumber,
          tracking_number: trackingNumber,
          result,
        })),
      },
      lines: [
        ...columns(
          recorded.map(({ orderNumber, trackingNumber, purchaseId }) => [
            orderNumber,
            trackingNumber ?? '–',
            purchaseId,
          ]),
        ),
        ...left.map((purchase) => `${purchase.orderNumber}: label ${purchase.purchaseId}: ${adviceOf(purchase)}`),
        `${number} ${dryRun ? 'would be recorded' : 'recorded'}.`,
      ],
    };
  },
});

/** What to do about a label that was not recorded. */
function adviceOf({ result }: RecoveredPurchase): string {
  if (result === 'not_needed')
    return 'the order has another one, or needs none: void one of them in the Shippo dashboard.';
  if (result === 'in_progress') return 'it is being bought: run this again.';
  return 'there is no such paid order: send its goods with it, or void it in the Shippo dashboard.';
}
