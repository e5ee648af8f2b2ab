import { Migration } from '@mikro-orm/migrations';

/**
 * The words of categories, tags and variants, so that slips in them are guessed at, too; and how many documents of a
 * store are embedded, so that nobody counts them for each.
 */
export class SearchVocabularyAndBudget extends Migration {
  override up(): void {
    this.addSql(`
      set local app.platform = 'on';

      alter table search_documents add column keywords text not null default '';
      update search_documents d set keywords = concat_ws(' ', p.category,
        (select string_agg(t.tag, ' ' order by t.position) from product_tags t where t.tenant_id = p.tenant_id and t.product_id = p.id),
        (select string_agg(v.name, ' ' order by v.position) from variants v
         where v.tenant_id = p.tenant_id and v.product_id = p.id and v.removed_at is null))
      from products p where d.kind = 'product' and p.tenant_id = d.tenant_id and p.id = d.subject_id;

      alter table search_versions add column documents int not null default 0 check (documents >= 0);
      insert into search_versions (tenant_id, version, documents)
      select tenant_id, 0, count(*) from search_embeddings where content_hash <> '' group by tenant_id
      on conflict (tenant_id) do update set documents = excluded.documents;

      set local app.platform = 'off';
    `);
  }
}
