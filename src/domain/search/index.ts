export { embedDocument } from './embed-document.ts';
export { indexDocument, indexDocuments, indexInLanguage } from './index-document.ts';
export { listManagedProductsByWords, listProductsByWords } from './list-products-by-words.ts';
export { presentResult, SearchBody } from './present.ts';
export { sweepEmbeddings } from './request-embedding.ts';
export { searchDocuments } from './search-documents.ts';
export { listZeroResultSearches, pruneZeroResultSearches, type ZeroResultSearch } from './zero-result-searches.ts';
