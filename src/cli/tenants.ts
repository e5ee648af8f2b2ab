import { transact } from '#src/database/transact.ts';
import { recordAudit } from '#src/domain/audit/index.ts';
import {
  countedRowsMax,
  countStoreRows,
  type OpenBusiness,
  obstaclesOf,
  readOpenBusiness,
  readStoredElsewhere,
  removeStore,
  type StoredElsewhere,
} from '#src/domain/backoffice/index.ts';
import { notifyReopened } from '#src/domain/leads/index.ts';
import {
  closeStore,
  listRemoved,
  listTenants,
  type ModuleName,
  moduleNames,
  presentStore,
  type RemovedStore,
  reopenStore,
  rotateSessionSecret,
  setModules,
  type Tenant,
} from '#src/domain/tenants/index.ts';
import { nearest } from '#src/lib/edit-distance.ts';
import { oneLine } from '#src/lib/one-line.ts';
import { columns, table } from './lib/columns.ts';
import { defineCommand, Failure, type Report, UsageError } from './lib/command.ts';
import { userAndMachine } from './lib/user-and-machine.ts';
import { keyProblemOf, withServices, withStore, withUnprovenStore } from './lib/with-services.ts';

const nameShownMax = 40;

export const listTenantsCommand = defineCommand({
  name: 'tenants list',
  summary: 'List the stores of this installation.',
  options: {
    open: { type: 'boolean', description: 'Only list those that are not closed.' },
    closed: { type: 'boolean', description: 'Only list those that are closed.' },
    removed: { type: 'boolean', description: 'List those that were removed instead: when, and by whom.' },
  },
  async run({ options, terminal }): Promise<Report> {
    if (Object.values(options).filter(Boolean).length > 1)
      throw new UsageError('tenants list takes one of --open, --closed and --removed.');
    if (options.removed) return reportRemoved(await withServices(terminal, (_services, ctx) => listRemoved(ctx)));
    const all = await withServices(terminal, (_services, ctx) => listTenants(ctx));
    const tenants = all.filter(({ closedAt }) => !(closedAt ? options.open : options.closed));
    const rows = tenants.map((tenant) => [
      tenant.slug,
      oneLine(tenant.name, nameShownMax),
      tenant.currency,
      switchedOn(tenant.modules),
      tenant.closedAt?.toISOString() ?? '–',
    ]);
    const headings = ['SLUG', 'NAME', 'CURRENCY', 'MODULES', 'CLOSED'];
    return {
      data: { tenants: tenants.map(present) },
      lines: table(headings, rows, all.length > 0 ? 'There are none.' : 'There are no stores yet.'),
    };
  },
});

function reportRemoved(stores: readonly RemovedStore[]): Report {
  const headings = ['SLUG', 'ID', 'CLOSED', 'REMOVED', 'BY', 'DELETED'];
  const rows = stores.map(presentRemoved);
  const cells = rows.map((row) => Object.values(row).map((value) => value ?? '–'));
  return {
    data: { removed_stores: rows },
    lines: table(headings, cells, 'No store was removed.'),
  };
}

export const showTenantCommand = defineCommand({
  name: 'tenants show',
  summary: 'Show a store with all its settings.',
  parameters: { slug: 'The slug of the store.' },
  async run({ parameters, terminal }) {
    const tenant = await withStore(terminal, parameters.slug, async (ctx) => present(ctx.tenant));
    const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
    return { data: { tenant }, lines: columns(Object.entries(tenant).map(([name, value]) => [name, shown(value)])) };
  },
});

export const closeTenantCommand = defineCommand({
  name: 'tenants close',
  summary: 'Close a store: its storefront is served no more. What was sold is still looked after.',
  parameters: { slug: 'The slug of the store.' },
  async run({ parameters: { slug }, terminal }) {
    return withUnprovenStore(terminal, slug, async (ctx) => {
      const changed = await transact(ctx, async (ctx) => {
        const changed = await closeStore(ctx);
        if (changed) await recordAudit(ctx, { action: 'store.closed', subjectKind: 'store', subjectId: slug });
        return changed;
      });
      const open = await readOpenBusiness(ctx);
      return {
        data: { slug, changed, open: presentBusiness(open) },
        lines: [changed ? `${slug} is now closed.` : `${slug} was closed already.`, ...describeBusiness(open)],
      };
    });
  },
});

export const reopenTenantCommand = defineCommand({
  name: 'tenants reopen',
  summary: 'Open a closed store again.',
  parameters: { slug: 'The slug of the store.' },
  async run({ parameters: { slug }, terminal }) {
    const changed = await withStore(terminal, slug, (ctx) =>
      transact(ctx, async (ctx) => {
        const changed = await reopenStore(ctx);
        if (!changed) return false;
        await recordAudit(ctx, { action: 'store.reopened', subjectKind: 'store', subjectId: slug });
        await notifyReopened(ctx);
        return true;
      }),
    );
    return { data: { slug, changed }, lines: [changed ? `${slug} is open again.` : `${slug} is not closed.`] };
  },
});

export const removeTenantCommand = defineCommand({
  name: 'tenants remove',
  summary:
    'Delete a closed store with all its data. Without --yes, print what would be deleted and what stays elsewhere.',
  parameters: { slug: 'The slug of the store.' },
  options: { yes: { type: 'boolean', description: 'Confirm. What is deleted can only be restored from a backup.' } },
  async run({ parameters: { slug }, options, terminal }) {
    return withUnprovenStore(terminal, slug, async (ctx): Promise<Report> => {
      const elsewhere = await readStoredElsewhere(ctx);
      if (options.yes) {
        const obstacles = await removeStore(ctx, userAndMachine(terminal));
        if (obstacles.length > 0) throw failureOfRemoval(slug, obstacles);
        const lines = [
          `${slug} is removed: no process finds it any more, and its keys and sessions do not work.`,
          'A worker now deletes its data. Within two hours nothing is left, and the slug is free.',
        ];
        return {
          data: { slug, removed: true, left_elsewhere: presentElsewhere(elsewhere) },
          lines: [...lines, ...describeElsewhere(slug, elsewhere)],
        };
      }
      const rows = await countStoreRows(ctx);
      const open = await readOpenBusiness(ctx);
      const obstacles = obstaclesOf(ctx, ctx.tenant, open);
      const shown = rows.map(({ table, rows }) => [table, rows < countedRowsMax ? String(rows) : `${rows} or more`]);
      return {
        data: {
          slug,
          removed: false,
          rows: Object.fromEntries(rows.map(({ table, rows }) => [table, rows])),
          obstacles,
          open: presentBusiness(open),
          left_elsewhere: presentElsewhere(elsewhere),
        },
        lines: [
          ...columns([['WOULD BE DELETED', 'ROWS'], ...shown]),
          ...describeElsewhere(slug, elsewhere),
          ...obstacles.map((obstacle) => `In the way: ${obstacle}.`),
          ...(open.unsentOrders > 0 ? [describeUnsent(open)] : []),
          `Nothing was deleted. To delete all of it: tenants remove ${slug} --yes`,
        ],
      };
    });
  },
});

const failureOfRemoval = (slug: string, obstacles: readonly string[]): Failure =>
  new Failure(
    `${slug} was not removed: ${obstacles.join('; ')}.`,
    obstacles.map((detail) => ({ detail })),
  );

export const setModuleCommand = defineCommand({
  name: 'tenants set-module',
  summary: 'Switch a module of a store on or off.',
  parameters: { slug: 'The slug of the store.', module: `One of ${moduleNames.join(', ')}.`, switch: 'on or off.' },
  async run({ parameters, terminal }) {
    const { slug, switch: position } = parameters;
    const module = moduleNamed(parameters.module);
    if (position !== 'on' && position !== 'off') throw new UsageError(`A module is on or off, not "${position}".`);
    const on = position === 'on';
    const changed = await withStore(terminal, slug, (ctx) =>
      transact(ctx, async (ctx) => {
        const { action } = await setModules(ctx, { [module]: on });
        if (action === 'unchanged') return false;
        const before = { on: ctx.tenant.modules[module] };
        await recordAudit(ctx, {
          action: 'module.updated',
          subjectKind: 'module',
          subjectId: module,
          before,
          after: { on },
        });
        return true;
      }),
    );
    const message = changed
      ? `${module} of ${slug} is now ${position}.`
      : `${module} of ${slug} was ${position} already.`;
    return { data: { slug, module, on, changed }, lines: [message] };
  },
});

export const rotateSecretCommand = defineCommand({
  name: 'tenants rotate-secret',
  summary: "Rotate a store's secret after a leak. Signs out every customer.",
  parameters: { slug: 'The slug of the store.' },
  async run({ parameters, terminal }) {
    const { slug } = parameters;
    const problem = await withUnprovenStore(terminal, slug, (ctx) =>
      transact(ctx, async (ctx) => {
        const problem = await keyProblemOf(ctx);
        await rotateSessionSecret(ctx);
        await recordAudit(ctx, { action: 'store.secret_rotated', subjectKind: 'store', subjectId: slug });
        return problem;
      }),
    );
    const lines = [`${slug} has a new secret. All customers are signed out.`];
    if (problem)
      lines.push(
        `The one before could not be decrypted. ${problem.message} If that key is not lost, processes may not be able ` +
          'to decrypt the new one: run this again with their ENCRYPTION_KEYS.',
      );
    return { data: { slug }, lines };
  },
});

function moduleNamed(written: string): ModuleName {
  const module = moduleNames.find((name) => name === written);
  if (module) return module;
  const meant = nearest(written, moduleNames);
  const advice = meant ? `Did you mean ${meant}?` : `There are ${moduleNames.join(', ')}.`;
  throw new UsageError(`There is no module "${written}". ${advice}`);
}

function switchedOn(modules: Tenant['modules']): string {
  return moduleNames.filter((name) => modules[name]).join(', ') || '–';
}

function present(tenant: Tenant) {
  const { id, requestsPerSecond, modules, closedAt } = tenant;
  return {
    id,
    ...presentStore(tenant),
    requests_per_second: requestsPerSecond,
    modules,
    closed_at: closedAt?.toISOString() ?? null,
  };
}

const presentRemoved = ({ id, slug, closedAt, removedAt, removedBy, deletedAt }: RemovedStore) => ({
  slug,
  id,
  closed_at: closedAt.toISOString(),
  removed_at: removedAt.toISOString(),
  removed_by: removedBy,
  deleted_at: deletedAt?.toISOString() ?? null,
});

const presentBusiness = (open: OpenBusiness) => ({
  subscriptions: open.subscriptions,
  checkouts: open.checkouts,
  payable_until: open.payableUntil?.toISOString() ?? null,
  refunds: open.refunds,
  labels: open.labels,
  unsent_orders: open.unsentOrders,
});

/** What goes on in a closed store, and how to end it. */
function describeBusiness(open: OpenBusiness): string[] {
  const { subscriptions, checkouts, payableUntil } = open;
  const lines: string[] = [];
  if (subscriptions > 0)
    lines.push(
      `Stripe still charges ${counted(subscriptions, 'subscription')}. To cancel them, run the bulk change ` +
        'subscription_cancellations in the console (Bulk changes) or by the API.',
    );
  if (checkouts > 0)
    lines.push(
      `${counted(checkouts, 'checkout')} can still be paid` +
        `${payableUntil ? `, the last one until ${payableUntil.toISOString()}` : ''}; slow payments arrive up to 14 ` +
        'days later. What is paid becomes an order.',
    );
  if (open.unsentOrders > 0) lines.push(describeUnsent(open));
  return lines;
}

const describeUnsent = ({ unsentOrders }: OpenBusiness): string =>
  `${counted(unsentOrders, 'paid order')} not sent yet: send or refund what was bought.`;

const presentElsewhere = ({ paymentCustomers, paymentEndpoints, labels }: StoredElsewhere) => ({
  stripe_customers: paymentCustomers,
  stripe_webhook_endpoints: paymentEndpoints,
  shippo_labels: labels,
});

function describeElsewhere(slug: string, { paymentCustomers, paymentEndpoints, labels }: StoredElsewhere): string[] {
  const endpoint = paymentEndpoints.length > 0 ? paymentEndpoints.join(', ') : `…/api/webhooks/stripe/${slug}`;
  return [
    `Stripe keeps ${counted(paymentCustomers, 'customer')}, the payments, and the webhook endpoint (${endpoint}): delete ` +
      'it there. Another store on the same account has an endpoint of its own.',
    `Shippo keeps ${counted(labels, 'label')} with their addresses. Backups and logs keep what they have.`,
  ];
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
