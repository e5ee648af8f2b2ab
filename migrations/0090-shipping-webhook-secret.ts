import { Migration } from '@mikro-orm/migrations';

/** The parcel provider signs what it sends where its support was asked to: with this secret. */
export class ShippingWebhookSecret extends Migration {
  override up(): void {
    this.addSql(`alter table shipping_accounts add column webhook_secret_sealed text`);
  }
}
