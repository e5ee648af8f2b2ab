import { loadStoreFile, type StoreFile } from '#src/cli/apply/store-file.ts';
import type { Tenant } from '#src/domain/tenants/index.ts';
import type { Services } from '#src/services.ts';

type FileOwner = Pick<Tenant, 'slug' | 'currency' | 'storefrontUrl' | 'ownerEmail'>;

/** A file of this store with these sections, as `apply` reads it. Throws if it is not valid. */
export function loadFileOf({ config }: Services, tenant: FileOwner, sections: object): StoreFile {
  const { slug, currency, storefrontUrl, ownerEmail } = tenant;
  const store = { slug, name: 'In the file', currency, storefront_url: storefrontUrl, owner_email: ownerEmail };
  const loaded = loadStoreFile(JSON.stringify({ store, ...sections }), {}, config.settings);
  if ('problems' in loaded) throw new Error(JSON.stringify(loaded.problems));
  return loaded.file;
}
