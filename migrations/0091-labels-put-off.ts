import { Migration } from '@mikro-orm/migrations';

/** Since when the parcel provider asks to come back later: without an end, a person has to hear of it. */
export class LabelsPutOff extends Migration {
  override up(): void {
    this.addSql(`alter table labels add column put_off_since timestamptz`);
  }
}
