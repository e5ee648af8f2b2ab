export { entryDocument } from './entry-document.ts';
export { EntryContent, EntryInput, EntryType } from './entry-input.ts';
export { type EntryName, entryNames } from './entry-names.ts';
export {
  listManagedEntries, type ManagedEntry, ManagedEntryView, presentManagedEntry, readManagedEntry,
} from './managed-entries.ts';
export { EntryBody, presentEntry } from './present.ts';
export { type EntryFilter, type EntryRow, findEntry, listActiveAnnouncements, listEntries } from './read-entries.ts';
export { removeEntry } from './remove-entry.ts';
export { saveEntry } from './save-entry.ts';
