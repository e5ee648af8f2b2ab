import { Migration } from '@mikro-orm/migrations';

/** A store in connect mode has no keys of its own on file. */
export class ConnectWithoutKeys extends Migration {
  override up(): void {
    this.addSql(`
      set local app.platform = 'on';
      update payment_accounts set secret_key_sealed = null, publishable_key = null where mode = 'connect';
      set local app.platform = 'off';
      alter table payment_accounts add constraint payment_accounts_connect_without_keys
        check (mode = 'direct' or (secret_key_sealed is null and publishable_key is null));
    `);
  }
}
