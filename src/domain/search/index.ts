export { embedDocument } from './embed-document.ts';
export { indexDocument } from './index-document.ts';
export { presentResult, SearchBody } from './present.ts';
export { searchDocuments } from './search-documents.ts';
export { sweepEmbeddings } from './sweep-embeddings.ts';
export { listZeroResultSearches, pruneZeroResultSearches, type ZeroResultSearch } from './zero-result-searches.ts';
