export { presentStorefront, readStorefront, StorefrontBody } from './storefront.ts';
