import { Migration } from '@mikro-orm/migrations';

/**
 * An event may be forgotten once no delivery of it is left, and PostgreSQL looks for those by their event: the key that
 * keeps an endpoint from getting an event twice now begins with it.
 */
export class EventsOfDeliveries extends Migration {
  override up(): void {
    this.addSql(`
      alter table webhook_deliveries
        drop constraint webhook_deliveries_tenant_id_endpoint_id_event_id_key,
        add unique (tenant_id, event_id, endpoint_id);
    `);
  }
}
