import { erasePersonalData, exportPersonalData } from '#src/domain/privacy/index.ts';
import { isEmailAddress } from '#src/lib/email-address.ts';
import { columns } from './lib/columns.ts';
import { defineCommand, Failure, type Report, UsageError } from './lib/command.ts';
import { withStore } from './lib/with-services.ts';

const whose = { slug: 'The store.', email: 'The address of the person.' };

export const exportCommand = defineCommand({
  name: 'export',
  summary: 'Print everything that a store holds about an address, as JSON.',
  parameters: whose,
  async run({ parameters: { slug, email }, terminal }) {
    rejectOther(email);
    const held = await withStore(terminal, slug, (ctx) =>
      exportPersonalData(ctx, { email }, (part) => terminal.progress(`Looking through ${part}.`)),
    );
    return { data: held, lines: [JSON.stringify(held, null, 2)] };
  },
});

export const eraseCommand = defineCommand({
  name: 'erase',
  summary: 'Take a person out of everything that a store holds. Orders keep their amounts and belong to nobody.',
  parameters: whose,
  options: {
    yes: { type: 'boolean', description: 'Do it: it cannot be taken back. The command export shows what goes.' },
  },
  async run({ parameters: { slug, email }, options, terminal }): Promise<Report> {
    rejectOther(email);
    if (!options.yes) throw new UsageError('erase cannot be taken back: look with export first, then say --yes.');
    const { blockers, erased, paymentCustomerIds } = await withStore(terminal, slug, (ctx) =>
      erasePersonalData(ctx, { email }, (part) => terminal.progress(`Erasing from ${part}.`)),
    );
    if (blockers.length > 0) {
      const sentence = `Something is still under way, so nothing was erased: ${blockers.join('; ')}.`;
      throw new Failure(
        sentence,
        blockers.map((detail) => ({ detail })),
      );
    }
    const rows = Object.entries(erased).map(([part, count]) => [part, String(count)]);
    return {
      data: { erased, left_elsewhere: { stripe_customers: paymentCustomerIds } },
      lines: [
        ...(rows.length > 0 ? columns([['ERASED FROM', 'ROWS'], ...rows]) : ['Nothing is held about this address.']),
        ...paymentCustomerIds.map((id) => `Stripe keeps records of its own: delete the customer ${id} there.`),
        ...(rows.length > 0
          ? ['Backups hold it until they are rotated, and so does whoever was told by webhook.']
          : []),
      ],
    };
  },
});

function rejectOther(email: string): void {
  if (!isEmailAddress(email)) throw new UsageError('That is not one plain mail address.');
}
