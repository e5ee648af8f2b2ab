import { Ajv2020 } from 'ajv/dist/2020.js';

import { invalid } from '../api/error.ts';
import type { Fault } from '../api/faults.ts';
import type { DeliverySettings } from '../webhooks/delivery.ts';
import type { FixedEndpoint, PayInput } from './client.ts';

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
const text = { type: 'string' };
const probability = { type: 'number', minimum: 0, maximum: 1 };
const wait = { type: 'number', minimum: 0 };

export const readFault = reader<Fault>(['match', 'kind'], {
  match: text,
  account: text,
  kind: { enum: ['status', 'reset_before', 'reset_after', 'hang', 'delay'] },
  status: { type: 'integer', minimum: 400, maximum: 599 },
  code: text,
  retry_after: wait,
  after: { type: 'boolean' },
  ms: wait,
  times: { type: 'integer', minimum: 1 },
  probability,
});

export const readDeliverySettings = reader<DeliverySettings>([], {
  drop: probability,
  duplicate: probability,
  reorder: { type: ['boolean', 'integer'] },
  delay_ms: { type: 'array', prefixItems: [wait, wait], items: false, minItems: 2 },
  retry_ms: { type: 'array', items: wait },
  timeout_ms: { type: 'number', exclusiveMinimum: 0 },
  seed: { type: 'integer' },
});

export const readPayInput = reader<PayInput>(['outcome'], {
  outcome: { enum: ['paid', 'declined', 'processing', 'voucher'] },
  email: text,
  name: text,
  phone: text,
  address: {
    type: 'object',
    properties: { line1: text, line2: text, city: text, state: text, postal_code: text, country: text },
    additionalProperties: false,
  },
  shipping_option: { type: 'integer', minimum: 0 },
  tax: { type: 'integer', minimum: 0 },
});

export const readRefund = reader<{ readonly amount?: number }>([], { amount: { type: 'integer', minimum: 1 } });

export const readDispute = reader<{ readonly reason?: string; readonly amount?: number }>([], {
  reason: text,
  amount: { type: 'integer', minimum: 1 },
});

export const readEndpoint = reader<FixedEndpoint>(['url', 'secret'], {
  url: text,
  secret: text,
  events: { type: 'array', items: text },
  api_version: text,
});

/** The only field of a body such as `{"outcome": "paid"}`. */
export function readOutcome<Word extends string>(body: string, words: readonly Word[], field = 'outcome'): Word {
  const given: unknown = Object(JSON.parse(body || '{}'))[field];
  const word = words.find((candidate) => candidate === given);
  if (!word) throw invalid(`${field} must be one of ${words.join(', ')}`, field);
  return word;
}

/** Reads a JSON object of known fields. The schema is compiled when first needed. */
function reader<Body>(required: readonly string[], properties: object): (body: string) => Body {
  const schema = { type: 'object', properties, required, additionalProperties: false };
  return (body) => {
    const value: unknown = JSON.parse(body || '{}');
    const validate = ajv.compile<Body>(schema);
    if (!validate(value)) throw invalid(ajv.errorsText(validate.errors, { dataVar: 'body' }));
    return value;
  };
}
