export { captureStock } from './capture-stock.ts';
export { decideReview } from './decide-review.ts';
export { findProduct, listImages } from './find-product.ts';
export { holdStock } from './hold-stock.ts';
export { listProducts } from './list-products.ts';
export { listReviews } from './list-reviews.ts';
export { listManagedProducts, readManagedProduct } from './managed-products.ts';
export { listManagedReviews, readManagedReview, reviewStatuses } from './managed-reviews.ts';
export type { StockLine } from './move-stock.ts';
export { catalogPersonalData } from './personal-data.ts';
export {
  ImageBody,
  InventoryBody,
  ProductBody,
  ProductDetailBody,
  presentImages,
  presentInventory,
  presentProduct,
  presentProductDetail,
  presentReview,
  RatingBody,
  ReviewBody,
  StockStatusBody,
} from './present.ts';
export {
  ManagedProductView,
  ManagedReviewView,
  presentManagedProduct,
  presentManagedReview,
  presentStock,
  StockView,
} from './present-managed.ts';
export { type PricedLine, priceLines } from './price-lines.ts';
export { productDocument } from './product-document.ts';
export { ImageInput, ProductInput, PurchaseType, SubscriptionInterval, Tag } from './product-input.ts';
export { completeImage, type Image, normalizeText } from './product-record.ts';
export { productSlugs } from './product-slugs.ts';
export { type ProductRow, publishedProducts } from './published-products.ts';
export { readInventory, readInventoryOf } from './read-inventory.ts';
export { releaseStock } from './release-stock.ts';
export { removeProduct } from './remove-product.ts';
export { restock } from './restock.ts';
export { saveProduct, saveProducts } from './save-product.ts';
export { saveStock } from './save-stock.ts';
export { StockInput } from './stock-input.ts';
export { quantityMax, type StockLevel, stockStatus } from './stock-level.ts';
export { ReviewInput, submitReview } from './submit-review.ts';
export { takeStock } from './take-stock.ts';
