import { Migration } from '@mikro-orm/migrations';

/** Since when a label is being given back: whoever began it may die, and then it is finished without him. */
export class LabelsBeingVoided extends Migration {
  override up(): void {
    this.addSql(`alter table labels add column voiding_since timestamptz`);
  }
}
