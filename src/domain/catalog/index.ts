export type { StockMove } from './change-stock.ts';
export { completeInputs, ProductPatch, validProduct } from './complete-inputs.ts';
export { type CatalogProduct, type CatalogVariant, editProducts } from './edit-products.ts';
export {
  listManagedProducts,
  type ManagedProduct,
  ManagedProductFilter,
  ManagedProductView,
  matchesProduct,
  presentManagedProduct,
  presentStock,
  productSlugs,
  readManagedProduct,
  StockView,
} from './managed-products.ts';
export {
  captureStock,
  holdStock,
  releaseStock,
  restock,
  type StockLine,
  sumByVariant,
  takeStock,
} from './move-stock.ts';
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
  RatingBody,
  StockStatusBody,
} from './present.ts';
export { lineName, type PricedLine, priceLines, sellsInterval } from './price-lines.ts';
export { type ProductDocument, productDocuments } from './product-document.ts';
export {
  completeImage,
  type Image,
  ImageInput,
  ProductInput,
  ProductReplacement,
  PurchaseType,
  SubscriptionInterval,
  Tag,
} from './product-input.ts';
export { unknownSlugs } from './product-rows.ts';
export {
  findProduct,
  listImages,
  listProducts,
  type ProductFilter,
  type ProductRow,
  publishedProducts,
  type TypedWord,
  tagsOfProduct,
} from './published-products.ts';
export {
  decideReview,
  listManagedReviews,
  listReviews,
  ManagedReviewView,
  presentManagedReview,
  presentReview,
  ReviewBody,
  ReviewInput,
  readManagedReview,
  reviewStatuses,
  submitReview,
} from './reviews.ts';
export { issuesOfPrices, removeProduct, saveProduct, saveProducts } from './save-product.ts';
export { ExportedStockItem, StockInput, saveStock, saveStockChanges, stockChangeOf } from './save-stock.ts';
export { listStockMovements, StockMovementView } from './stock-ledger.ts';
export {
  buyableQuantity,
  quantityMax,
  readInventory,
  readInventoryOf,
  type StockLevel,
  stockStatus,
} from './stock-level.ts';
