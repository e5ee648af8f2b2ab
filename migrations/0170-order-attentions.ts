import { Migration } from '@mikro-orm/migrations';

/**
 * An order has a set of attentions instead of one code and a text. The release before this one may still run beside it
 * and knows the two columns only: until they are dropped, a trigger keeps both forms the same.
 */
export class OrderAttentions extends Migration {
  override up(): void {
    this.addSql(`
      create function order_attentions(code text, detail text) returns jsonb language sql immutable as $$
        select coalesce(jsonb_agg(case when number = 1 or position(': ' in line) = 0
            then jsonb_build_object('code', code, 'detail', line)
            else jsonb_build_object('code', split_part(line, ': ', 1), 'detail', substr(line, position(': ' in line) + 2))
          end order by number), '[]')
        from regexp_split_to_table(coalesce(detail, ''), E'\\\\n(?=[a-z_]+: )') with ordinality as lines(line, number)
        where code is not null
      $$;

      alter table orders add column attentions jsonb not null default '[]';
      update orders set attentions = order_attentions(attention_code, attention_detail) where attention_code is not null;
      create index orders_with_attentions on orders (tenant_id, id) where attentions <> '[]';

      create function keep_order_attention_columns() returns trigger language plpgsql as $$
      begin
        if new.attentions is distinct from old.attentions then
          new.attention_code := new.attentions -> 0 ->> 'code';
          new.attention_detail := (
            select string_agg(case when number = 1 then '' else item ->> 'code' || ': ' end || (item ->> 'detail'), E'\\n' order by number)
            from jsonb_array_elements(new.attentions) with ordinality as items(item, number));
        else
          new.attentions := order_attentions(new.attention_code, new.attention_detail);
        end if;
        return new;
      end $$;
      create trigger keep_order_attention_columns before update of attentions, attention_code, attention_detail on orders
        for each row execute function keep_order_attention_columns();
    `);
  }
}
