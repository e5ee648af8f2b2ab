import Box from '@mui/material/Box';
import type { Body, ManagedContentEntry } from '@storefront-commerce/client';
import { useState } from 'react';
import { useNavigate } from 'react-router';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { EditForm } from '../../lib/edit-form.tsx';
import { Panel } from '../../lib/facts.tsx';
import { PageHeading } from '../../lib/page-heading.tsx';
import { RecordPage } from '../../lib/record-page.tsx';
import { State } from '../../lib/texts.tsx';
import { ContentInputs } from './content-inputs.tsx';

export function ContentPage() {
  return <RecordPage<ManagedContentEntry>>{(entry) => <Entry entry={entry} />}</RecordPage>;
}

interface Props {
  readonly entry: ManagedContentEntry;
}

function Entry({ entry }: Props) {
  // What is read again while someone edits does not change the form.
  const [{ type, slug, version: first, ...fields }] = useState(entry);
  const [version, setVersion] = useState(first);
  const { title, summary, body, tags, image, author, starts_at, ends_at, published_at } = fields;
  return (
    <>
      <PageHeading title={entry.title}>
        <State code={entry.published_at ? 'published' : 'draft'} />
        <Box sx={{ flexGrow: 1 }} />
        <DeleteEntry entry={entry} />
      </PageHeading>
      <Panel title="Entry">
        <EditForm<Body<'admin.replaceEntry'>>
          input={{ title, summary, body, tags, image, author, starts_at, ends_at, published_at }}
          run={async (input) => {
            const { entry: saved } = await admin.replaceEntry(type, slug, { ...input, version });
            setVersion(saved.version);
          }}
          done="The entry is saved."
        >
          <ContentInputs />
        </EditForm>
      </Panel>
    </>
  );
}

function DeleteEntry({ entry: { type, slug, title } }: Props) {
  const navigate = useNavigate();
  return (
    <Action
      label="Delete"
      title={`Delete ${title}`}
      color="error"
      scope="admin.content:write"
      text="It cannot be brought back."
      run={() => admin.deleteEntry(type, slug)}
      onDone={() => navigate('/content')}
      done="The entry is deleted."
    />
  );
}
