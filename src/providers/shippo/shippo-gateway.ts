import type { LabelPurchase, ShippingGateway } from '#src/domain/ports/shipping-gateway.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { fits } from '#src/lib/validation.ts';
import { createCaller, type ShippoOptions } from './call-shippo.ts';
import { createCarrierList } from './carrier-list.ts';
import { shipmentRequest } from './shipment-request.ts';
import {
  purchaseOf,
  QuotedShipmentWire,
  quoteRejectionOf,
  RateWire,
  RefundWire,
  rateOf,
  ShipmentWire,
  TrackWire,
  TransactionsWire,
  TransactionWire,
  trackingOf,
} from './wire.ts';

/** Shippo's maximum page size. */
const pageMax = 100;

/** The shipping gateway for Shippo. None of its types, statuses or errors leaves this folder. */
export function createShippoGateway(options: ShippoOptions): ShippingGateway {
  const call = createCaller(options);
  const carriers = createCarrierList(call);

  const gateway: ShippingGateway = {
    async checkAccount(account, options) {
      await carriers.fetch(account, options);
    },

    async quote(account, request, options) {
      const accounts = await carriers.chosen(account, request.carriers, options);
      if (accounts.length === 0) {
        carriers.drop(account);
        return { hasActiveCarrier: false, rates: [], rejection: null };
      }
      const chosen = request.carriers.length > 0 ? accounts.map(({ id }) => id) : [];
      const shipment = await call(
        { account, operation: 'shipments.create', response: ShipmentWire, options },
        (shippo) => shippo.shipments.create(shipmentRequest(request, chosen)),
      );
      if (shipment.status !== 'SUCCESS' && shipment.rates.length === 0) {
        throw new ProviderError('shippo', 'away', 'Shippo has not finished the quote.', { code: 'unfinished' });
      }
      const names = new Map(accounts.map(({ id, carrier }) => [id, carrier]));
      const rates = shipment.rates.flatMap((rate) => (fits(RateWire, rate) ? [rateOf(rate, names)] : []));
      return {
        hasActiveCarrier: true,
        rates,
        rejection: rates.length === 0 ? quoteRejectionOf(shipment.messages) : null,
      };
    },

    async fetchRate(account, rateId, options) {
      const [accounts, rate] = await Promise.all([
        carriers.chosen(account, [], options),
        call({ account, operation: 'rates.get', response: RateWire, options }, (shippo) => shippo.rates.get(rateId)),
      ]);
      const { metadata } = await call(
        { account, operation: 'shipments.get', response: QuotedShipmentWire, options },
        (shippo) => shippo.shipments.get(rate.shipment),
      );
      return { rate: rateOf(rate, new Map(accounts.map(({ id, carrier }) => [id, carrier]))), marker: metadata ?? '' };
    },

    async buyLabel(account, { rateId, marker }, options) {
      const transaction = await call(
        { account, operation: 'transactions.create', response: TransactionWire, options },
        (shippo) =>
          shippo.transactions.create({ rate: rateId, async: false, labelFileType: 'PDF_4x6', metadata: marker }),
      );
      return purchaseOf(transaction);
    },

    async findPurchases(account, rateId, options) {
      const { results } = await call(
        { account, operation: 'transactions.list', response: TransactionsWire, options },
        (shippo) => shippo.transactions.list({ rate: rateId, results: pageMax }),
      );
      return results
        .map(purchaseOf)
        .filter((purchase) => purchase.rateId === null || purchase.rateId === rateId)
        .toSorted((left, right) => (left.createdAt?.getTime() ?? 0) - (right.createdAt?.getTime() ?? 0));
    },

    async listPurchases(account, since, options) {
      const listed: LabelPurchase[] = [];
      for (let page = 1; ; page += 1) {
        const { results, next } = await call(
          { account, operation: 'transactions.list', response: TransactionsWire, options },
          (shippo) => shippo.transactions.list({ page, results: pageMax }),
        );
        // Where labels are bought meanwhile, the next page begins with some of the last one.
        const seen = new Set(listed.map(({ id }) => id));
        const found = results.map(purchaseOf).filter(({ createdAt }) => !createdAt || createdAt >= since);
        listed.push(...found.filter(({ id }) => !seen.has(id)));
        if (!next || found.length === 0) return listed;
      }
    },

    async fetchPurchase(account, purchaseId, options) {
      const transaction = await call(
        { account, operation: 'transactions.get', response: TransactionWire, options },
        (shippo) => shippo.transactions.get(purchaseId),
      );
      return purchaseOf(transaction);
    },

    async refundPurchase(account, purchaseId, options) {
      try {
        const { status } = await call(
          { account, operation: 'refunds.create', response: RefundWire, options },
          (shippo) => shippo.refunds.create({ transaction: purchaseId, async: false }),
        );
        if (status === 'ERROR') throw new ProviderError('shippo', 'refused', 'Shippo does not refund this label.');
      } catch (error) {
        if (!(error instanceof ProviderError) || error.failure !== 'refused') throw error;
        // Shippo also rejects a refund that was requested before.
        const { state } = await gateway.fetchPurchase(account, purchaseId, options);
        if (state !== 'refunding' && state !== 'refunded') throw error;
      }
    },

    async follow(account, { carrier, trackingNumber }, options) {
      const track = await call({ account, operation: 'tracks.create', response: TrackWire, options }, (shippo) =>
        shippo.trackingStatus.create({ carrier, trackingNumber }),
      );
      return trackingOf(track);
    },

    async track(account, { carrier, trackingNumber }, options) {
      const track = await call({ account, operation: 'tracks.get', response: TrackWire, options }, (shippo) =>
        shippo.trackingStatus.get(trackingNumber, carrier),
      );
      return trackingOf(track);
    },
  };
  return gateway;
}
