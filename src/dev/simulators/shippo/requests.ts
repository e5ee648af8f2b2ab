import Type, { type Static, type TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';

import { badRequest, type Problems } from './error.ts';

/** The request bodies of Shippo's OpenAPI that the simulator supports. */

const marker = Type.Optional(Type.String({ maxLength: 100 }));
const amount = Type.String({ pattern: '^\\d{1,6}(\\.\\d{1,4})?$' });
const text = Type.Optional(Type.String());

export const AddressRequest = Type.Object({
  name: text,
  company: text,
  street1: text,
  street2: text,
  street3: text,
  street_no: text,
  city: text,
  state: text,
  zip: text,
  country: Type.String({ pattern: '^[A-Za-z]{2}$' }),
  phone: text,
  email: text,
  is_residential: Type.Optional(Type.Boolean()),
  metadata: marker,
});

export const ParcelRequest = Type.Object({
  length: amount,
  width: amount,
  height: amount,
  distance_unit: Type.Enum(['cm', 'in', 'ft', 'm', 'mm', 'yd']),
  weight: amount,
  mass_unit: Type.Enum(['g', 'kg', 'lb', 'oz']),
  metadata: marker,
  extra: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

export const CustomsRequest = Type.Object({
  certify: Type.Boolean(),
  certify_signer: Type.String({ minLength: 1 }),
  contents_type: Type.Enum([
    'DOCUMENTS',
    'GIFT',
    'SAMPLE',
    'MERCHANDISE',
    'HUMANITARIAN_DONATION',
    'RETURN_MERCHANDISE',
    'OTHER',
  ]),
  non_delivery_option: Type.Enum(['ABANDON', 'RETURN']),
  eel_pfc: Type.Optional(Type.Enum(['NOEEI_30_37_a', 'NOEEI_30_37_h', 'NOEEI_30_37_f', 'NOEEI_30_36', 'AES_ITN'])),
  items: Type.Array(
    Type.Object({
      description: Type.String({ minLength: 1 }),
      quantity: Type.Integer({ minimum: 1 }),
      net_weight: amount,
      mass_unit: Type.Enum(['g', 'kg', 'lb', 'oz']),
      value_amount: amount,
      value_currency: Type.String({ pattern: '^[A-Z]{3}$' }),
      origin_country: Type.String({ pattern: '^[A-Z]{2}$' }),
    }),
    { minItems: 1 },
  ),
});

export const ShipmentRequest = Type.Object({
  address_from: Type.Unknown(),
  address_to: Type.Unknown(),
  parcels: Type.Array(Type.Unknown(), { minItems: 1 }),
  customs_declaration: Type.Optional(Type.Unknown()),
  carrier_accounts: Type.Optional(Type.Array(Type.String())),
  async: Type.Optional(Type.Boolean()),
  metadata: marker,
  shipment_date: text,
  extra: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

const labelFileTypes = [
  'PNG',
  'PNG_2.3x7.5',
  'PDF',
  'PDF_2.3x7.5',
  'PDF_4x6',
  'PDF_4x8',
  'PDF_A4',
  'PDF_A5',
  'PDF_A6',
  'ZPLII',
];

export const TransactionRequest = Type.Object({
  rate: Type.String(),
  async: Type.Optional(Type.Boolean()),
  label_file_type: Type.Optional(Type.Enum(labelFileTypes)),
  metadata: marker,
  order: text,
});

export const RefundRequest = Type.Object({
  transaction: Type.String(),
  async: Type.Optional(Type.Boolean()),
});

export const TrackRequest = Type.Object({
  carrier: Type.String({ minLength: 1 }),
  tracking_number: Type.String({ minLength: 1 }),
  metadata: marker,
});

const validators = new WeakMap<TSchema, Validator>();

/** The value as the schema's type, or an error that names each invalid field. */
export function read<S extends TSchema>(schema: S, value: unknown, field?: string): Static<S> {
  const validator = validators.get(schema) ?? Compile(schema);
  validators.set(schema, validator);
  if (isValid(validator, schema, value)) return value;
  const problems = problemsIn(validator, value);
  throw badRequest(field === undefined ? problems : { [field]: problems });
}

function isValid<S extends TSchema>(validator: Validator, _schema: S, value: unknown): value is Static<S> {
  return validator.Check(value);
}

function problemsIn(validator: Validator, value: unknown): Problems {
  const problems: Problems = {};
  for (const error of validator.Errors(value)) {
    if (error.keyword === 'required') {
      for (const name of error.params.requiredProperties) problems[name] = ['This field is required.'];
    } else {
      const name = error.instancePath.split('/')[1] ?? '__all__';
      problems[name] = [error.keyword === 'pattern' ? 'Enter a valid value.' : `This value ${error.message}.`];
    }
  }
  return problems;
}
