export { indexDocument } from './index-document.ts';
export { presentResult, SearchBody } from './present.ts';
export { searchDocuments, type SearchRequest } from './search-documents.ts';
