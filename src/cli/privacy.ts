import { erasePersonalData, exportPersonalData } from '#src/domain/privacy/index.ts';
import { isEmailAddress } from '#src/lib/email-address.ts';
import { exportedKinds, exportToFile } from './bulk/export-kind.ts';
import { table } from './lib/columns.ts';
import { defineCommand, Failure, type Report, UsageError } from './lib/command.ts';
import { withStore } from './lib/with-services.ts';

const whose = { slug: 'The slug of the store.', email: 'The email of the customer.' };

export const exportCommand = defineCommand({
  name: 'export',
  summary: 'Print all data of a store about an email as JSON, or write all of a kind to a file.',
  parameters: { slug: whose.slug, what: `The email of a customer, or a kind: ${exportedKinds}.` },
  options: {
    format: {
      type: 'string',
      value: 'csv|jsonl|shopify',
      description: 'How the file of a kind is written. Default csv.',
    },
    to: { type: 'string', value: 'path', description: 'The file that a kind is written to. A worker must be running.' },
  },
  async run({ parameters: { slug, what: email }, options: { format, to: file }, terminal }) {
    if (!email.includes('@')) return exportToFile(terminal, { slug, what: email, format, file });
    rejectOther(email);
    if (format ?? file)
      throw new UsageError('--format and --to are for a kind: what is held about an email is printed.');
    const held = await withStore(terminal, slug, (ctx) =>
      exportPersonalData(ctx, { email }, (part) => terminal.progress(`Reading ${part}.`)),
    );
    return { data: held, lines: [JSON.stringify(held, null, 2)] };
  },
});

export const eraseCommand = defineCommand({
  name: 'erase',
  summary: 'Erase all personal data of a customer from a store. Orders keep their amounts and become anonymous.',
  parameters: whose,
  options: {
    yes: {
      type: 'boolean',
      description: 'Confirm. Erasure cannot be undone; the command export shows what is erased.',
    },
  },
  async run({ parameters: { slug, email }, options, terminal }): Promise<Report> {
    rejectOther(email);
    if (!options.yes)
      throw new UsageError('Erasure cannot be undone: check the data with export first, then pass --yes.');
    const { blockers, erased, paymentCustomerIds } = await withStore(terminal, slug, (ctx) =>
      erasePersonalData(ctx, { email }, { onPart: (part) => terminal.progress(`Erasing from ${part}.`) }),
    );
    if (blockers.length > 0) {
      const what = Object.keys(erased).length > 0 ? 'The rest was not' : 'Nothing was';
      const message = `${what} erased because of open work: ${blockers.join('; ')}.`;
      throw new Failure(
        message,
        blockers.map((detail) => ({ detail })),
      );
    }
    const rows = Object.entries(erased).map(([part, count]) => [part, String(count)]);
    return {
      data: { erased, left_elsewhere: { stripe_customers: paymentCustomerIds } },
      lines: [
        ...table(['ERASED FROM', 'ROWS'], rows, 'The store has no data about this email.'),
        ...paymentCustomerIds.map((id) => `Stripe has its own records: delete the customer ${id} there.`),
        ...(rows.length > 0
          ? [
              'Backups contain the data until they are rotated. Subscribed receivers of webhooks are sent customer.erased, ' +
                'and the updated orders, returns and subscriptions.',
            ]
          : []),
      ],
    };
  },
});

function rejectOther(email: string): void {
  if (!isEmailAddress(email)) throw new UsageError('This is not a valid email address.');
}
