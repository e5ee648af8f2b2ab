export { type EntryDocument, entryDocuments } from './entry-document.ts';
export { EntryInput, EntryType } from './entry-input.ts';
export type { EntryName } from './entry-name.ts';
export {
  entryNames,
  listManagedEntries,
  ManagedEntryView,
  presentManagedEntry,
  readManagedEntry,
} from './managed-entries.ts';
export { EntryBody, presentEntry } from './present.ts';
export { announcement, findEntry, isEntryShown, listActiveAnnouncements, listEntries } from './read-entries.ts';
export { removeEntry, saveEntry } from './save-entry.ts';
