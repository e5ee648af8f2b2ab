import { Migration } from '@mikro-orm/migrations';

/** A gap is looked through from the oldest session on whose payment can have come within it, a slice at a time. */
export class PaymentGapSlices extends Migration {
  override up(): void {
    this.addSql(`
      alter table payment_event_gaps drop constraint payment_event_gaps_check,
        add constraint payment_event_gaps_range check (lost_from < lost_to and scanned_to <= lost_to);
    `);
  }
}
