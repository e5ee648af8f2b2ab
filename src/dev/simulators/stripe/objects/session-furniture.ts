import type { SessionParams } from './session-params.ts';

/** What the wire format asks of a session beyond `Session`: mere echoes of its parameters, and defaults. */
export function sessionDefaults(params: SessionParams): Record<string, unknown> {
  const subscribing = params.mode === 'subscription';
  const taxed = params.automatic_tax?.enabled ?? false;
  return {
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: params.allow_promotion_codes ?? null,
    allowed_payment_method_types: params.allowed_payment_method_types ?? null,
    automatic_tax: {
      enabled: taxed,
      liability: taxed ? { type: 'self' } : null,
      provider: taxed ? 'stripe' : null,
      status: taxed ? 'requires_location_inputs' : null,
    },
    billing_address_collection: params.billing_address_collection ?? null,
    client_reference_id: params.client_reference_id ?? null,
    client_secret: null,
    consent: null,
    consent_collection: null,
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    customer_account: null,
    customer_creation: customerCreation(params),
    integration_identifier: null,
    invoice_creation: subscribing ? null : { enabled: false, invoice_data: noInvoiceData },
    locale: params.locale ?? null,
    managed_payments: null,
    origin_context: null,
    payment_link: null,
    payment_method_collection: subscribing ? (params.payment_method_collection ?? 'always') : null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card', 'us_bank_account'],
    permissions: null,
    phone_number_collection: { enabled: params.phone_number_collection?.enabled ?? false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: params.shipping_address_collection ?? null,
    submit_type: params.submit_type ?? null,
    ui_mode: 'hosted_page',
    wallet_options: null,
  };
}

const noInvoiceData = {
  account_tax_ids: null,
  custom_fields: null,
  description: null,
  footer: null,
  issuer: null,
  metadata: {},
  rendering_options: null,
};

function customerCreation(params: SessionParams): 'always' | 'if_required' | null {
  if (params.customer) return null;
  return params.customer_creation ?? (params.mode === 'subscription' ? 'always' : 'if_required');
}
