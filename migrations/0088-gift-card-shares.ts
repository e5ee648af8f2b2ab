import { Migration } from '@mikro-orm/migrations';

/** A gift card can get back a part of what it paid: that of the goods that were returned. */
export class GiftCardShares extends Migration {
  override up(): void {
    this.addSql(`
      alter table gift_card_redemptions add column returned_cents bigint not null default 0;
      select set_config('app.platform', 'on', true);
      update gift_card_redemptions set returned_cents = amount_cents where returned_at is not null;
      alter table gift_card_redemptions add constraint gift_card_redemptions_returned
        check (returned_cents between 0 and amount_cents);
    `);
  }
}
