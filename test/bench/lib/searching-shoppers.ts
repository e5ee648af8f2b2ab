import { setTimeout as pause } from 'node:timers/promises';

/*
 * A process of its own, so that it takes no time from whoever measures: searches on so many connections without a
 * pause, in the store with this slug of a web process, until it is killed.
 */

const [url = '', slug = '', connections = '1'] = process.argv.slice(2);
const searches = ['/search?q=stoneware', '/products?q=mug&sort=price_asc', '/search?q=stonwear%20plate'];

await Promise.all(Array.from({ length: Number(connections) }, (_, number) => searchOn(number)));

/** With different limits at a time, because a repeated URL is served from the reply cache. */
async function searchOn(number: number): Promise<never> {
  for (let turn = number; ; turn += 1) {
    const path = `/api/v1${searches[turn % searches.length]}&limit=${10 + ((turn + 17 * number) % 90)}`;
    await fetch(`${url}${path}`, { headers: { 'x-tenant-slug': slug } })
      .then((response) => response.arrayBuffer())
      .catch(() => pause(100));
  }
}
