/** The objects of Shippo's API 2018-02-08, as it returns them. */

export type TransactionStatus =
  | 'WAITING'
  | 'QUEUED'
  | 'SUCCESS'
  | 'ERROR'
  | 'REFUNDED'
  | 'REFUNDPENDING'
  | 'REFUNDREJECTED';

export const trackingStatuses = ['UNKNOWN', 'PRE_TRANSIT', 'TRANSIT', 'DELIVERED', 'RETURNED', 'FAILURE'] as const;
export type TrackingStatusName = (typeof trackingStatuses)[number];

export const refundStatuses = ['QUEUED', 'PENDING', 'SUCCESS', 'ERROR'] as const;
export type RefundStatus = (typeof refundStatuses)[number];

export const webhookEvents = [
  'transaction_created',
  'transaction_updated',
  'track_updated',
  'batch_created',
  'batch_purchased',
  'all',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

export interface Message {
  source: string;
  code: string;
  text: string;
}

/** The fields of every stored object. */
export interface Stored {
  object_id: string;
  object_owner: string;
  object_created: string;
  object_updated: string;
  test: boolean;
}

export interface Address extends Stored {
  name: string;
  company: string;
  street1: string;
  street2: string;
  street3: string;
  street_no: string;
  city: string;
  state: string;
  zip: string;
  country: string;
  phone: string;
  email: string;
  is_residential: boolean | null;
  metadata: string;
  is_complete: boolean;
  validation_results: object;
}

export interface Parcel extends Stored {
  object_state: 'VALID';
  length: string;
  width: string;
  height: string;
  distance_unit: string;
  weight: string;
  mass_unit: string;
  template: null;
  metadata: string;
  extra: Record<string, unknown>;
}

export type RateAttribute = 'BESTVALUE' | 'CHEAPEST' | 'FASTEST';

export interface Rate extends Stored {
  shipment: string;
  attributes: RateAttribute[];
  amount: string;
  currency: string;
  amount_local: string;
  currency_local: string;
  provider: string;
  servicelevel: { name: string; token: string; terms: string; extended_token: string };
  estimated_days: number;
  duration_terms: string;
  arrives_by: string | null;
  carrier_account: string;
  zone: string;
  messages: Message[];
}

export interface CustomsDeclaration extends Stored {
  object_state: 'VALID';
  certify: boolean;
  certify_signer: string;
  contents_type: string;
  non_delivery_option: string;
  eel_pfc?: string;
  metadata: string;
  items: string[];
}

export interface Shipment extends Stored {
  status: 'QUEUED' | 'SUCCESS';
  address_from: Address;
  address_to: Address;
  address_return: Address;
  parcels: Parcel[];
  rates: Rate[];
  messages: Message[];
  carrier_accounts: string[];
  customs_declaration: CustomsDeclaration | null;
  extra: Record<string, unknown>;
  metadata: string;
  shipment_date: string;
}

export interface Transaction extends Stored {
  object_state: 'VALID';
  status: TransactionStatus;
  rate: string;
  parcel: string;
  order: string | null;
  metadata: string;
  label_file_type: string;
  label_url: string | null;
  commercial_invoice_url: string | null;
  qr_code_url: string | null;
  tracking_number: string | null;
  tracking_status: TrackingStatusName;
  tracking_url_provider: string | null;
  eta: string | null;
  messages: Message[];
  created_by: null;
}

export interface Refund extends Stored {
  transaction: string;
  status: RefundStatus;
}

export interface Place {
  city: string;
  state: string;
  zip: string;
  country: string;
}

export interface TrackingStep {
  object_id: string;
  object_created: string;
  object_updated: string;
  status: TrackingStatusName;
  substatus: { code: string; text: string; action_required: boolean } | null;
  status_date: string;
  status_details: string;
  location: Place | null;
}

export interface Track {
  carrier: string;
  tracking_number: string;
  address_from: Place | null;
  address_to: Place | null;
  servicelevel: { token: string; name: string } | null;
  eta: string | null;
  original_eta: string | null;
  transaction: string | null;
  metadata: string;
  tracking_status: TrackingStep | null;
  tracking_history: TrackingStep[];
  messages: string[];
}

export interface Webhook extends Omit<Stored, 'test'> {
  event: WebhookEvent;
  url: string;
  active: boolean;
  is_test: boolean;
}

export interface CarrierAccount {
  object_id: string;
  object_owner: string;
  carrier: string;
  carrier_name: string;
  account_id: string;
  active: boolean;
  is_shippo_account: boolean;
  metadata: string;
  parameters: Record<string, unknown>;
  test: boolean;
  object_info: { authentication: { type: 'default'; status: 'connected' } };
}
