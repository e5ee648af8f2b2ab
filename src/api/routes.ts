import * as content from './content/routes.ts';
import * as inventory from './inventory/routes.ts';
import type { Route } from './lib/define-route.ts';
import * as products from './products/routes.ts';
import * as search from './search/routes.ts';

const pages = [content, inventory, products, search];

/**
 * Every route of the service. The first one whose path fits an address serves it, so at each place a word stands
 * before a parameter: `/orders/lookup` before `/orders/:orderId`.
 */
export const routes: readonly Route[] = pages
  .flatMap((page): Route[] => Object.values(page))
  .toSorted((left, right) => (rank(left) < rank(right) ? -1 : 1));

/** In ASCII, `~` comes after every letter. */
function rank({ path }: Route): string {
  return path.replaceAll(':', '~');
}
