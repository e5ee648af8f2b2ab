import type { ShipmentCreateRequest } from 'shippo/models/components/shipmentcreaterequest.js';

import type { CustomsDeclaration, PostalAddress, QuoteRequest } from '#src/domain/ports/shipping-gateway.ts';
import { toDecimal } from '#src/lib/currency.ts';
import { oneLine } from '#src/lib/one-line.ts';
import { plainForms } from '#src/lib/typed-code.ts';

/** A shipment for the SDK: measures are text, empty fields are left out, and the response includes the rates. */
export function shipmentRequest(request: QuoteRequest, carrierAccounts: readonly string[]): ShipmentCreateRequest {
  const { parcel, customs, marker } = request;
  return {
    addressFrom: addressOf(request.from),
    addressTo: addressOf(request.to),
    parcels: [
      {
        length: decimal(parcel.lengthIn),
        width: decimal(parcel.widthIn),
        height: decimal(parcel.heightIn),
        distanceUnit: 'in',
        weight: decimal(parcel.weightOz),
        massUnit: 'oz',
      },
    ],
    async: false,
    ...(marker && { metadata: marker }),
    ...(carrierAccounts.length > 0 && { carrierAccounts: [...carrierAccounts] }),
    ...(customs && { customsDeclaration: declarationOf(request, customs) }),
  };
}

function addressOf({ country, ...rest }: PostalAddress) {
  const { street1, street2, ...others } = Object.fromEntries(
    Object.entries(rest).map(([field, text]) => [field, oneLine(text ?? '')]),
  );
  const [first, second, third] = streetLines([street1, street2]);
  const { zip = '', phone = '' } = others;
  const codes = { zip: plainForms(zip), phone: plainForms(phone) };
  const fields = { ...others, ...codes, street1: first, street2: second, street3: third };
  return { country, ...Object.fromEntries(Object.entries(fields).filter(([, text]) => text)) };
}

/** How many characters of an address line carriers print. */
const lineMax = 35;

/** A street that is too long for its line continues in the next one, so that nothing is cut off. */
function streetLines([street1 = '', street2 = '']: readonly (string | undefined)[]): string[] {
  if (street1.length <= lineMax && street2.length <= lineMax) return [street1, street2];
  const lines: string[] = [];
  const words = `${street1} ${street2}`.trim().split(' ').flatMap(partsOf);
  for (const word of words) {
    const line = [lines.at(-1), word].filter(Boolean).join(' ');
    if (lines.length === 0 || (line.length > lineMax && lines.length < 3)) lines.push(word);
    else lines[lines.length - 1] = line;
  }
  return lines;
}

/** A word in parts that fit into a line: some languages have no spaces, and a character is never cut in two. */
function partsOf(word: string): string[] {
  const parts = [''];
  for (const { segment } of new Intl.Segmenter().segment(word)) {
    const part = `${parts.at(-1)}${segment}`;
    if (part.length > lineMax) parts.push(segment);
    else parts[parts.length - 1] = part;
  }
  // Before a character that is longer than a line, there is none.
  return parts.filter(Boolean);
}

/** The paragraphs of US customs law that exempt goods from a filing. */
const exemptions = { low_value: 'NOEEI_30_37_a', to_canada: 'NOEEI_30_36' } as const;

/** The customs declaration of sold goods. */
function declarationOf({ from }: QuoteRequest, { signer, items, exemption }: CustomsDeclaration) {
  return {
    certify: true,
    certifySigner: oneLine(signer, 100),
    contentsType: 'MERCHANDISE',
    nonDeliveryOption: 'RETURN',
    ...(exemption && { eelPfc: exemptions[exemption] }),
    items: items.map((item) => ({
      description: oneLine(item.description, 100) || 'Merchandise',
      quantity: item.quantity,
      netWeight: decimal(item.weightOz),
      massUnit: 'oz' as const,
      valueAmount: toDecimal(item.valueCents, item.currency),
      valueCurrency: item.currency,
      originCountry: from.country,
    })),
  } as const;
}

/** At most four decimals, which is Shippo's limit. */
const decimal = (number: number) => String(Math.round(number * 10_000) / 10_000);
