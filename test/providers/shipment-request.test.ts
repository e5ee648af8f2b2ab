import test from 'ava';

import { shipmentRequest } from '#src/providers/shippo/shipment-request.ts';
import { awkwardNames } from '#test/support/awkward-names.ts';

const from = {
  name: 'Cedar',
  street1: '215 Clayton St',
  city: 'San Francisco',
  state: 'CA',
  zip: '94117',
  country: 'US',
};
const parcel = { lengthIn: 10, widthIn: 8, heightIn: 4, weightOz: 18 };
const addressTo = (given: object): object =>
  Object(shipmentRequest({ from, to: { ...from, ...given }, parcel, carriers: [] }, []).addressTo);

test('shipmentRequest wraps a street that is too long for its line and loses no word of it', (t) => {
  t.like(addressTo({ street1: '40 W 23rd St', street2: 'Apt 5' }), { street1: '40 W 23rd St', street2: 'Apt 5' });
  t.like(
    addressTo({ street1: '12345 North Martin Luther King Junior Boulevard', street2: 'Building C, Apartment 1204' }),
    {
      street1: '12345 North Martin Luther King',
      street2: 'Junior Boulevard Building C,',
      street3: 'Apartment 1204',
    },
  );
  t.like(addressTo({ street1: 'Some very long street with a great many words in it', street2: null }), {
    street1: 'Some very long street with a great',
    street2: 'many words in it',
  });
});

test('shipmentRequest writes every field on one line and leaves out what is empty then', (t) => {
  for (const name of awkwardNames) {
    const address = addressTo({ name, city: name, street2: '\u0007 \n' });
    t.false('street2' in address, name);
    for (const text of Object.values(address)) t.notRegex(String(text), /\p{Cc}/u, name);
  }
});

test('shipmentRequest cites an exemption from US filing only where one was claimed', (t) => {
  const declared = (exemption: 'low_value' | 'to_canada' | null) => {
    const items = [{ description: 'Tea', quantity: 2, weightOz: 2, valueCents: 2000, currency: 'JPY' }];
    const customs = { signer: 'Cedar', items, exemption };
    return shipmentRequest({ from, to: { ...from, country: 'JP' }, parcel, carriers: [], customs }, [])
      .customsDeclaration;
  };
  t.like(declared('low_value'), { eelPfc: 'NOEEI_30_37_a', items: [{ valueAmount: '2000', valueCurrency: 'JPY' }] });
  t.like(declared('to_canada'), { eelPfc: 'NOEEI_30_36' });
  t.false('eelPfc' in Object(declared(null)));
});
