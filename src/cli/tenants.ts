import { transact } from '#src/database/transact.ts';
import { recordAudit } from '#src/domain/audit/index.ts';
import {
  listTenants,
  type ModuleName,
  moduleNames,
  presentStore,
  rotateSessionSecret,
  setModules,
  type Tenant,
} from '#src/domain/tenants/index.ts';
import { nearest } from '#src/lib/edit-distance.ts';
import { columns } from './lib/columns.ts';
import { defineCommand, UsageError } from './lib/command.ts';
import { keyProblemOf, withServices, withStore, withUnprovenStore } from './lib/with-services.ts';

export const listTenantsCommand = defineCommand({
  name: 'tenants list',
  summary: 'List the stores of this installation.',
  async run({ terminal }) {
    const tenants = await withServices(terminal, (_services, ctx) => listTenants(ctx));
    const rows = tenants.map(({ slug, name, currency, modules }) => [slug, name, currency, switchedOn(modules)]);
    const headings = ['SLUG', 'NAME', 'CURRENCY', 'MODULES'];
    return {
      data: { tenants: tenants.map(present) },
      lines: tenants.length > 0 ? columns([headings, ...rows]) : ['There are no stores yet.'],
    };
  },
});

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
  const { id, requestsPerSecond, modules } = tenant;
  return { id, ...presentStore(tenant), requests_per_second: requestsPerSecond, modules };
}
