import { missing, noSuch } from './api/error.ts';
import { type Operation, operation } from './api/operation.ts';
import type { Account } from './state/account.ts';
import type { StripeObject } from './state/objects.ts';

interface PortalParams {
  readonly configuration?: string;
  readonly customer?: string;
  readonly flow_data?: { readonly type: string; readonly subscription_cancel?: object };
  readonly locale?: string;
  readonly return_url?: string;
}

export const accountOperations: readonly Operation[] = [
  operation('GET /v1/tax/settings', ({ account }) => ({
    object: 'tax.settings',
    defaults: { provider: 'stripe', tax_behavior: null, tax_code: null },
    head_office: null,
    livemode: account.livemode,
    status: account.taxStatus,
    status_details: account.taxStatus === 'active' ? { active: {} } : { pending: { missing_fields: ['head_office'] } },
  })),
  operation<PortalParams>('POST /v1/billing_portal/sessions', ({ account, params }) => openPortal(account, params)),
];

function openPortal(account: Account, params: PortalParams): StripeObject {
  if (params.customer === undefined) throw missing('customer');
  const customer = account.customers.need(params.customer, 'customer');
  if (customer.deleted) throw noSuch('customer', customer.id, 'customer');
  const id = account.mint('bps');
  const portal = account.portalSessions.add({
    id,
    object: 'billing_portal.session',
    configuration: params.configuration ?? 'bpc_simulated',
    created: account.now,
    customer: customer.id,
    customer_account: null,
    flow: params.flow_data
      ? {
          after_completion: { hosted_confirmation: null, redirect: null, type: 'portal_homepage' },
          customer_update: null,
          subscription_cancel: null,
          subscription_pause: null,
          subscription_update: null,
          subscription_update_confirm: null,
          ...params.flow_data,
        }
      : null,
    livemode: account.livemode,
    locale: params.locale ?? null,
    on_behalf_of: null,
    return_url: params.return_url ?? null,
    url: `${account.host.url}/portal/${id}`,
  });
  account.record('billing_portal.session.created', portal);
  return portal;
}
