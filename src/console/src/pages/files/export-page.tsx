import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import Typography from '@mui/material/Typography';
import type { Export } from '@storefront-commerce/client';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { Facts, Panel } from '../../lib/facts.tsx';
import { formatCode, formatCount, formatTime } from '../../lib/format.ts';
import { PageHeading } from '../../lib/page-heading.tsx';
import { RecordPage } from '../../lib/record-page.tsx';
import { State } from '../../lib/texts.tsx';

export function ExportPage() {
  return <RecordPage<Export>>{(found) => <ExportParts of={found} />}</RecordPage>;
}

function ExportParts({ of: { id, kind, state, failure, url, expires_at, ...found } }: { readonly of: Export }) {
  const isOpen = state === 'queued' || state === 'running';
  return (
    <>
      <PageHeading title={`Export of ${formatCode(kind).toLowerCase()}`}>
        <State code={state} />
      </PageHeading>
      {failure && (
        <Alert severity="error" sx={{ mb: 2 }}>
          {failure}
        </Alert>
      )}
      <Panel
        title="File"
        actions={
          <>
            {url && (
              <Button size="small" variant="contained" href={url} download>
                Download
              </Button>
            )}
            {isOpen && (
              <Action
                label="Cancel"
                title="Cancel the export"
                color="error"
                run={() => admin.cancelExport(id)}
                done="The export is canceled."
              />
            )}
          </>
        }
      >
        {isOpen && <LinearProgress aria-label="The file is being written" sx={{ mb: 2 }} />}
        {state === 'completed' && !url && <Typography sx={{ mb: 2 }}>The file is gone. Export it again.</Typography>}
        <Facts
          of={[
            ['Rows', found.rows !== null && formatCount(found.rows)],
            ['Format', found.format],
            ['From', found.from && formatTime(found.from)],
            ['Before', found.to && formatTime(found.to)],
            ['Requested', formatTime(found.created_at)],
            ['Finished', found.finished_at && formatTime(found.finished_at)],
            ['Can be downloaded until', expires_at && formatTime(expires_at)],
          ]}
        />
      </Panel>
    </>
  );
}
