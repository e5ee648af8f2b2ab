import type { ShipmentCreateRequest } from 'shippo/models/components/shipmentcreaterequest.js';

import type { PostalAddress, QuoteRequest } from '#src/domain/ports/shipping-gateway.ts';

/** A shipment as the SDK wants it: measures are text, empty fields are left out, and rates come with the answer. */
export function shipmentRequest(request: QuoteRequest, carrierAccounts: readonly string[]): ShipmentCreateRequest {
  const { parcel, customs, marker } = request;
  return {
    addressFrom: addressOf(request.from),
    addressTo: addressOf(request.to),
    parcels: [{
      length: decimal(parcel.lengthIn),
      width: decimal(parcel.widthIn),
      height: decimal(parcel.heightIn),
      distanceUnit: 'in',
      weight: decimal(parcel.weightOz),
      massUnit: 'oz',
    }],
    async: false,
    ...(marker && { metadata: marker }),
    ...(carrierAccounts.length > 0 && { carrierAccounts: [...carrierAccounts] }),
    ...(customs && { customsDeclaration: declarationOf(request, customs) }),
  };
}

function addressOf({ country, ...rest }: PostalAddress) {
  const { name, street1, street2, city, state, zip, phone, email } = rest;
  return {
    country,
    ...(name && { name }), ...(street1 && { street1 }), ...(street2 && { street2 }), ...(city && { city }),
    ...(state && { state }), ...(zip && { zip }), ...(phone && { phone }), ...(email && { email }),
  };
}

/** What US customs ask of goods that were sold, below the 2,500 dollars from which on they must be filed. */
function declarationOf({ from, to }: QuoteRequest, { signer, items }: NonNullable<QuoteRequest['customs']>) {
  return {
    certify: true,
    certifySigner: signer,
    contentsType: 'MERCHANDISE',
    nonDeliveryOption: 'RETURN',
    ...(from.country === 'US' && { eelPfc: to.country === 'CA' ? 'NOEEI_30_36' : 'NOEEI_30_37_a' } as const),
    items: items.map((item) => ({
      description: item.description.slice(0, 100),
      quantity: item.quantity,
      netWeight: decimal(item.weightOz),
      massUnit: 'oz' as const,
      valueAmount: (item.valueCents / 100).toFixed(2),
      valueCurrency: item.currency,
      originCountry: from.country,
    })),
  } as const;
}

/** At most four decimals, which is what Shippo takes. */
const decimal = (number: number) => String(Math.round(number * 10_000) / 10_000);
