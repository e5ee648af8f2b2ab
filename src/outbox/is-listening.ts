import { sql } from '#src/lib/sql.ts';

/**
 * Whether an endpoint is to be told of an event of its store, as a condition on `webhook_endpoints endpoint` and `event`:
 * it chose the type, or all of its kind (`order.*`). A test goes to the endpoint that it is about and to no other.
 */
export const isListening = sql`
  case
    when event.type = 'webhook.test' then endpoint.id = event.object_id
    else endpoint.events ?| array[event.type, split_part(event.type, '.', 1) || '.*']
  end`;
