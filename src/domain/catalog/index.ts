export { listManagedProducts, productSlugs, readManagedProduct } from './managed-products.ts';
export { captureStock, holdStock, releaseStock, restock, type StockLine, takeStock } from './move-stock.ts';
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
export {
  completeImage,
  type Image,
  ImageInput,
  normalizeText,
  ProductInput,
  PurchaseType,
  SubscriptionInterval,
  Tag,
} from './product-input.ts';
export { findProduct, listImages, listProducts, type ProductRow, publishedProducts } from './published-products.ts';
export {
  decideReview,
  listManagedReviews,
  listReviews,
  ReviewInput,
  readManagedReview,
  reviewStatuses,
  submitReview,
} from './reviews.ts';
export { removeProduct, saveProduct, saveProducts } from './save-product.ts';
export { StockInput, saveStock } from './save-stock.ts';
export { quantityMax, readInventory, readInventoryOf, type StockLevel, stockStatus } from './stock-level.ts';
