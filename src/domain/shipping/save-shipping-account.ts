import { LockMode } from '@mikro-orm/core';
import { resumeLabels } from '#jobs/labels.ts';
import { lockNames } from '#src/database/lock-names.ts';
import { assignChanges } from '#src/lib/assign-changes.ts';
import { type DomainError, invalidRequest, rejectIssues } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Change } from '../change.ts';
import { checkCharge } from '../checks.ts';
import type { InTransaction } from '../context.ts';
import { validateSecondShippingKey, validateShippingKeys } from './credentials.ts';
import {
  type SealedField,
  SecondShippingAccountEntity,
  type SecondShippingAccountInput,
  type ShippingAccountChange,
  ShippingAccountEntity,
} from './shipping-account.ts';

/**
 * Save the store's shipping account and settings. With a new key, labels are resumed that waited because the account
 * was missing or its key was rejected.
 *
 * @param options `retainSecrets`: a webhook token or secret that is left out stays; otherwise it is removed
 * @throws DomainError `invalid_request` for a first account without a key, a key that cannot work here, or
 *   an amount that cannot be charged
 */
export async function saveShippingAccount(
  ctx: InTransaction,
  input: ShippingAccountChange,
  { retainSecrets = false }: { retainSecrets?: boolean } = {},
): Promise<Change> {
  validateShippingKeys(ctx, input);
  rejectIssues(
    input.options.flatMap(({ amount_cents: cents }, index) =>
      checkCharge(`/options/${index}/amount_cents`, cents, ctx.tenant.currency),
    ),
  );
  const { em } = ctx.tx;
  const tenantId = ctx.tenant.id;
  const wanted = {
    provider: input.provider,
    carriers: input.carriers,
    origin: input.origin,
    parcel: input.parcel,
    labelCostCapCents: input.label_cost_cap_cents ?? null,
    countries: input.countries,
    options: input.options,
  };
  await lockNames(ctx, 'provider', ['shipping']);
  // Attempts pause and resume labels meanwhile.
  const found = await em.findOne(ShippingAccountEntity, { tenantId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!found) {
    if (input.api_key === undefined) throw lacksKey();
    const id = newId('ship');
    const now = ctx.clock.now();
    em.create(ShippingAccountEntity, {
      ...wanted,
      tenantId,
      id,
      pausedAt: null,
      createdAt: now,
      updatedAt: now,
      apiKeySealed: seal(ctx, 'shipping_api_key', input.api_key),
      webhookTokenSealed: sealOrNull(ctx, 'shipping_webhook_token', input.webhook_token),
      webhookSecretSealed: sealOrNull(ctx, 'shipping_webhook_secret', input.webhook_secret),
    });
    enqueue(ctx, resumeLabels, { accountId: id, version: 1, number: 1 });
    return { subject: 'shipping', action: 'created', fields: [] };
  }

  const values = assignChanges(found, wanted);
  const fields = Object.keys(values);
  if (input.api_key !== undefined && !isSame(ctx, 'shipping_api_key', found.apiKeySealed, input.api_key)) {
    found.apiKeySealed = seal(ctx, 'shipping_api_key', input.api_key);
    found.pausedAt = null;
    fields.push('api_key');
    enqueue(ctx, resumeLabels, { accountId: found.id, version: found.version + 1, number: 1 });
  }
  for (const [name, column, field] of webhookSecrets) {
    const isRetained = retainSecrets && input[name] === undefined;
    if (isRetained || isSame(ctx, field, found[column], input[name])) continue;
    found[column] = sealOrNull(ctx, field, input[name]);
    fields.push(name);
  }
  if (fields.length === 0) return { subject: 'shipping', action: 'unchanged', fields };
  found.updatedAt = ctx.clock.now();
  return { subject: 'shipping', action: 'updated', fields, values };
}

/** The secrets that an account may have, by their names in the input, in the entity, and as sealed fields. */
const webhookSecrets = [
  ['webhook_token', 'webhookTokenSealed', 'shipping_webhook_token'],
  ['webhook_secret', 'webhookSecretSealed', 'shipping_webhook_secret'],
] as const;

function lacksKey(): DomainError {
  return invalidRequest('The account needs an API key when it is first saved.', {
    path: '/api_key',
    code: 'required',
    detail: 'is required for a first account',
  });
}

/**
 * Save the account at the second provider: it is stored and checked, but not used otherwise.
 * @throws DomainError `invalid_request` for a key that cannot work here
 */
export async function saveSecondShippingAccount(
  ctx: InTransaction,
  input: SecondShippingAccountInput,
): Promise<Change> {
  validateSecondShippingKey(ctx, input);
  const { em } = ctx.tx;
  const tenantId = ctx.tenant.id;
  await lockNames(ctx, 'provider', ['second-shipping']);
  const found = await em.findOne(SecondShippingAccountEntity, { tenantId });
  const now = ctx.clock.now();
  if (!found) {
    const apiKeySealed = seal(ctx, 'second_shipping_api_key', input.api_key);
    em.create(SecondShippingAccountEntity, {
      tenantId,
      id: newId('ship'),
      provider: input.provider,
      apiKeySealed,
      createdAt: now,
      updatedAt: now,
    });
    return { subject: 'second_shipping', action: 'created', fields: [] };
  }
  const values = assignChanges(found, { provider: input.provider });
  const fields = Object.keys(values);
  if (!isSame(ctx, 'second_shipping_api_key', found.apiKeySealed, input.api_key)) {
    found.apiKeySealed = seal(ctx, 'second_shipping_api_key', input.api_key);
    fields.push('api_key');
  }
  if (fields.length === 0) return { subject: 'second_shipping', action: 'unchanged', fields };
  found.updatedAt = now;
  return { subject: 'second_shipping', action: 'updated', fields, values };
}

const seal = (ctx: InTransaction, field: SealedField, plain: string) => ctx.keyring.seal(ctx.tenant.id, field, plain);

const sealOrNull = (ctx: InTransaction, field: SealedField, plain: string | null | undefined) =>
  plain ? seal(ctx, field, plain) : null;

const isSame = (
  ctx: InTransaction,
  field: SealedField,
  sealed: string | null | undefined,
  plain: string | null | undefined,
) => ctx.keyring.matches(ctx.tenant.id, field, sealed, plain);
