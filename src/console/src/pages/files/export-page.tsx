import Button from '@mui/material/Button';
import type { Export } from '@storefront-commerce/client';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { formatCode, formatCount, formatTime } from '../../lib/format.ts';
import { RecordPage } from '../../lib/record-page.tsx';
import { isOpen, OperationPage } from './operation-page.tsx';

export function ExportPage() {
  return <RecordPage<Export>>{(found) => <ExportParts of={found} />}</RecordPage>;
}

interface Props {
  readonly of: Export;
}

function ExportParts({ of: found }: Props) {
  const { kind, state, url } = found;
  return (
    <OperationPage
      title={`Export of ${formatCode(kind).toLowerCase()}`}
      of={found}
      note={state === 'completed' && !url && 'The file has expired. Export it again.'}
      actions={<ExportActions of={found} />}
      facts={[
        ['Rows', found.rows !== null && formatCount(found.rows)],
        ['Format', found.format],
        ['From', found.from && formatTime(found.from)],
        ['Until', found.to && formatTime(found.to)],
        ['Requested', formatTime(found.created_at)],
        ['Finished', found.finished_at && formatTime(found.finished_at)],
        ['Available until', found.expires_at && formatTime(found.expires_at)],
      ]}
    />
  );
}

function ExportActions({ of: found }: Props) {
  const { id, url } = found;
  if (url)
    return (
      <Button size="small" variant="contained" href={url} download>
        Download
      </Button>
    );
  if (!isOpen(found)) return null;
  return (
    <Action
      label="Cancel"
      title="Cancel the export"
      color="error"
      run={() => admin.cancelExport(id)}
      done="Export canceled."
    />
  );
}
