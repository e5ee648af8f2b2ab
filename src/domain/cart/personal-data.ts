import { lowerCase, sql } from '#src/lib/sql.ts';
import { nameInLog } from '../name-in-log.ts';
import { anonymisedRows, blank, byEmail, byMention, type PersonalData, removedRows } from '../personal-data.ts';

const preferences = removedRows({
  table: 'mail_preferences',
  personal: ['email'],
  beside: ['unsubscribed_at'],
  of: byEmail('email'),
});

/**
 * A cart belongs to a data subject when their customer, saved carts or orders refer to it, or when its storefront sent
 * their email as an id.
 */
export const cartPersonalData: readonly PersonalData[] = [
  anonymisedRows({
    table: 'carts',
    stays: 'What was in the cart, until it expires.',
    ofOrders: 'scanned',
    personal: blank('customer_id', 'session_id'),
    beside: ['id', 'status', 'currency', 'created_at', 'updated_at'],
    of: (subject, { tenant }) => sql`
      (customer_id is not null or session_id is not null) and (customer_id = ${subject.customerId}
        or ${byMention(sql`concat_ws(' ', customer_id, session_id)`)(subject)} or id in (
          select cart_id from saved_carts where tenant_id = ${tenant.id} and ${lowerCase(sql`email`)} = ${subject.email}
          union select cart_id from orders where tenant_id = ${tenant.id} and id = any(${subject.orderIds})))`,
  }),
  removedRows({
    table: 'saved_carts',
    personal: ['email', 'session_id', 'items'],
    beside: ['id', 'cart_id', 'currency', 'consent', 'saved_at', 'restored_at', 'converted_at'],
    of: byEmail('email'),
  }),
  // Before the preferences: who unsubscribes by a link meanwhile waits, and finds none.
  removedRows({ table: 'unsubscribe_links', personal: ['email'], beside: ['created_at'], of: byEmail('email') }),
  {
    ...preferences,
    treatment: 'anonymized',
    stays: 'That reminders were declined, by a pseudonym, so that the email gets none when somebody enters it again.',
    async erase(ctx, subject, rowsMax) {
      if (subject.email === null) return 0;
      await ctx.tx.execute(sql`
        insert into mail_preferences (tenant_id, email, unsubscribed_at)
        select tenant_id, ${nameInLog(ctx, subject.email)}, unsubscribed_at from mail_preferences
        where tenant_id = ${ctx.tenant.id} and ${byEmail('email')(subject)}
        on conflict do nothing`);
      return preferences.erase(ctx, subject, rowsMax);
    },
  },
];
