import { recordAudit } from '#src/domain/audit/index.ts';
import { transact } from '#src/domain/database.ts';
import { listTenants, type ModuleName, moduleNames, setModules, type Tenant } from '#src/domain/tenants/index.ts';
import { nearest } from '#src/lib/nearest.ts';
import { defineCommand, UsageError } from './lib/command.ts';
import { columns } from './lib/columns.ts';
import { withServices, withStore } from './lib/with-services.ts';

export const listTenantsCommand = defineCommand({
  name: 'tenants list',
  summary: 'Every store of this installation.',
  async run({ terminal }) {
    const tenants = await withServices(terminal, (_services, ctx) => listTenants(ctx));
    const rows = tenants.map(({ slug, name, currency, modules }) => [slug, name, currency, switchedOn(modules)]);
    return {
      data: { tenants: tenants.map(present) },
      lines: tenants.length > 0 ? columns([['SLUG', 'NAME', 'CURRENCY', 'MODULES'], ...rows]) : ['There is no store yet.'],
    };
  },
});

export const showTenantCommand = defineCommand({
  name: 'tenants show',
  summary: 'One store with all its settings.',
  parameters: { slug: 'The store.' },
  async run({ parameters, terminal }) {
    const tenant = await withStore(terminal, parameters.slug, async (ctx) => present(ctx.tenant));
    const rows = Object.entries(tenant).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
    return { data: { tenant }, lines: columns(rows) };
  },
});

export const setModuleCommand = defineCommand({
  name: 'tenants set-module',
  summary: 'Switch a module of a store on or off.',
  parameters: { slug: 'The store.', module: `One of ${moduleNames.join(', ')}.`, switch: 'on or off.' },
  async run({ parameters, terminal }) {
    const { slug, module: written, switch: position } = parameters;
    const module = moduleNamed(written);
    if (position !== 'on' && position !== 'off') throw new UsageError(`A module is switched on or off, not "${position}".`);
    const change = await withStore(terminal, slug, (ctx) => transact(ctx, async (ctx) => {
      const change = await setModules(ctx, { [module]: position === 'on' });
      if (change.action !== 'unchanged') {
        await recordAudit(ctx, {
          action: 'module.updated', subjectKind: 'module', subjectId: module,
          before: { on: ctx.tenant.modules[module] }, after: { on: position === 'on' },
        });
      }
      return change;
    }));
    const sentence = `${module} of ${slug} ${change.action === 'unchanged' ? 'was' : 'is now'} ${position}${change.action === 'unchanged' ? ' already' : ''}.`;
    return { data: { slug, module, on: position === 'on', changed: change.action !== 'unchanged' }, lines: [sentence] };
  },
});

function moduleNamed(written: string): ModuleName {
  const module = moduleNames.find((name) => name === written);
  if (module) return module;
  const meant = nearest(written, moduleNames);
  throw new UsageError(`There is no module "${written}". ${meant ? `Did you mean ${meant}?` : `There are ${moduleNames.join(', ')}.`}`);
}

function switchedOn(modules: Tenant['modules']): string {
  return moduleNames.filter((name) => modules[name]).join(', ') || '–';
}

/** In the words of the store file. */
function present(tenant: Tenant) {
  return {
    id: tenant.id,
    slug: tenant.slug,
    name: tenant.name,
    owner_email: tenant.ownerEmail,
    currency: tenant.currency,
    locale: tenant.locale,
    timezone: tenant.timezone,
    storefront_url: tenant.storefrontUrl,
    magic_link_path: tenant.magicLinkPath,
    restore_path: tenant.restorePath,
    allowed_origins: tenant.allowedOrigins,
    mail_from: tenant.mailFrom,
    theme: tenant.theme,
    links: tenant.links,
    modules: tenant.modules,
    version: tenant.version,
  };
}
