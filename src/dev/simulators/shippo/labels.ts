import { missingFields } from './addresses.ts';
import { carriers } from './carriers.ts';
import { type Call, created, type Endpoint, newestFirst, ok, pageOf, retrieve } from './endpoint.ts';
import { badRequest } from './error.ts';
import type { Message, Rate, Shipment, Transaction } from './objects.ts';
import { read, TransactionRequest } from './requests.ts';
import { type Account, type SimulatorState, stored } from './state.ts';
import { beginTrack } from './tracking.ts';
import { notify } from './webhooks.ts';

const rateAgeMsMax = 7 * 24 * 60 * 60 * 1000;
const resolveDelayMs = 25;
const streetCharactersMax = 35;
/** Military mail and the territories, which are states in an address. */
const beyondTheStates = ['AA', 'AE', 'AP', 'AS', 'FM', 'GU', 'MH', 'MP', 'PR', 'PW', 'VI'];

/**
 * Buy the label of a rate.
 *
 * A rate may be bought any number of times, and each time is paid for: Shippo has no idempotency keys.
 */
function buyLabel({ simulator, account, body, fault }: Call): Transaction {
  const request = read(TransactionRequest, body);
  const { rate, shipment } = rateAndShipment(account, request.rate);
  if (simulator.now().getTime() - Date.parse(rate.object_created) >= rateAgeMsMax) {
    throw badRequest({
      rate: ['Rates older than 7 days cannot be purchased. Please create a new shipment.'],
    });
  }

  const transaction: Transaction = {
    ...stored(simulator, account),
    object_state: 'VALID',
    status: 'QUEUED',
    rate: rate.object_id,
    parcel: shipment.parcels[0]?.object_id ?? '',
    order: request.order ?? null,
    metadata: request.metadata ?? '',
    label_file_type: request.label_file_type ?? 'PDF_4x6',
    label_url: null,
    commercial_invoice_url: null,
    qr_code_url: null,
    tracking_number: null,
    tracking_status: 'UNKNOWN',
    tracking_url_provider: null,
    eta: null,
    messages: [],
    created_by: null,
  };
  account.transactions.set(transaction.object_id, transaction);
  notify(simulator, account, 'transaction_created', transaction);

  const rejected: Message | undefined =
    fault?.kind === 'transaction_error'
      ? {
          source: rate.provider,
          code: fault.code ?? '',
          text: fault.text ?? 'The carrier rejected the label.',
        }
      : undefined;
  const resolve = () => resolveLabel(simulator, account, transaction, rejected ? [rejected] : undefined);
  if (fault?.kind === 'queued') return transaction;
  if (request.async === false) resolve();
  else simulator.pending.later(resolveDelayMs, resolve);
  return transaction;
}

/** Set the outcome of a queued label: purchased, unless there are errors or messages are given. */
export function resolveLabel(
  simulator: SimulatorState,
  account: Account,
  transaction: Transaction,
  messages = problemsOf(account, transaction),
): void {
  const { rate, shipment } = rateAndShipment(account, transaction.rate);
  const carrier = carriers[account.carriers.find((one) => one.object_id === rate.carrier_account)?.carrier ?? ''];
  transaction.object_updated = simulator.now().toISOString();
  transaction.messages = messages;
  if (messages.length > 0 || !carrier) {
    transaction.status = 'ERROR';
  } else {
    const { object_id: id, label_file_type: fileType } = transaction;
    transaction.status = 'SUCCESS';
    transaction.tracking_number = carrier.trackingNumber(id);
    transaction.tracking_url_provider = `${carrier.trackingUrl}${transaction.tracking_number}`;
    transaction.eta = new Date(simulator.now().getTime() + rate.estimated_days * 86_400_000).toISOString();
    // As long as the real signed URLs, so that code that truncates them fails.
    const signature = Buffer.from(id.repeat(8)).toString('base64url');
    const query = new URLSearchParams({ type: fileType, Expires: '1893456000', Signature: signature });
    transaction.label_url = `${simulator.url}/labels/${id}.pdf?${query}`;
    beginTrack(simulator, account, transaction, rate, shipment);
  }
  notify(simulator, account, 'transaction_updated', transaction);
}

function problemsOf(account: Account, transaction: Transaction): Message[] {
  const { rate, shipment } = rateAndShipment(account, transaction.rate);
  const source = rate.provider;
  const messages: Message[] = [];
  for (const side of ['address_from', 'address_to'] as const) {
    const address = shipment[side];
    for (const field of missingFields(address)) {
      messages.push({
        source,
        code: 'missing_field',
        text: `${side} ${field} is required to purchase a label.`,
      });
    }
    if (address.street1.length > streetCharactersMax) {
      const text = `${side} street1 must not be longer than ${streetCharactersMax} characters.`;
      messages.push({ source, code: 'street_too_long', text });
    }
  }
  const { address_from: from, address_to: to } = shipment;
  const isBeyond = to.country === 'US' && beyondTheStates.includes(to.state);
  if ((from.country !== to.country || isBeyond) && !shipment.customs_declaration) {
    const text = 'A customs declaration is required for international, military and territory shipments.';
    messages.push({ source, code: 'customs_declaration_missing', text });
  }
  if (account.insufficientFunds) {
    const text = 'Insufficient funds: please add a payment method to your Shippo account.';
    messages.push({ source: 'Shippo', code: 'insufficient_funds', text });
  }
  return messages;
}

function rateAndShipment(account: Account, rateId: string): { rate: Rate; shipment: Shipment } {
  const rate = account.rates.get(rateId);
  const shipment = rate && account.shipments.get(rate.shipment);
  if (!rate || !shipment) throw badRequest({ rate: ['Rate with supplied object_id not found.'] });
  return { rate, shipment };
}

export const transactionEndpoints: Endpoint[] = [
  { method: 'post', path: '/transactions', handle: (call) => created(buyLabel(call)) },
  {
    method: 'get',
    path: '/transactions',
    handle({ account, url }) {
      const rate = url.searchParams.get('rate');
      const found = newestFirst(account.transactions).filter((one) => rate === null || one.rate === rate);
      return ok(pageOf(found, url));
    },
  },
  retrieve('/transactions/:id', 'transactions'),
];
