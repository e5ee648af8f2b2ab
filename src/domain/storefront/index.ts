export { presentStorefront, StorefrontBody } from './present.ts';
export { readStorefront } from './read-storefront.ts';
