import type { Body, ManagedContentEntry } from '@storefront-commerce/client';
import { useNavigate } from 'react-router';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { Panel } from '../../lib/facts.tsx';
import { PageHeading } from '../../lib/page-heading.tsx';
import { RecordPage } from '../../lib/record-page.tsx';
import { State } from '../../lib/texts.tsx';
import { VersionedForm } from '../../lib/versioned-form.tsx';
import { ContentInputs, withImage } from './content-inputs.tsx';
import { stateOf } from './state-of.ts';

export function ContentPage() {
  return <RecordPage<ManagedContentEntry>>{(entry) => <Entry entry={entry} />}</RecordPage>;
}

interface Props {
  readonly entry: ManagedContentEntry;
}

function Entry({ entry }: Props) {
  const { type, slug } = entry;
  return (
    <>
      <PageHeading title={entry.title} actions={<DeleteEntry entry={entry} />}>
        <State code={stateOf(entry, Date.now())} />
      </PageHeading>
      <Panel title="Entry">
        <VersionedForm
          thing={entry}
          inputOf={inputOf}
          read={async () => (await admin.getEntry(type, slug)).entry}
          replace={async (input) => (await admin.replaceEntry(type, slug, withImage(input))).entry}
          done="Entry saved."
        >
          <ContentInputs />
        </VersionedForm>
      </Panel>
    </>
  );
}

function inputOf(entry: ManagedContentEntry): Body<'admin.replaceEntry'> {
  const { title, summary, body, tags, image, author, starts_at, ends_at, published_at } = entry;
  return { title, summary, body, tags, image, author, starts_at, ends_at, published_at };
}

function DeleteEntry({ entry: { type, slug, title } }: Props) {
  const navigate = useNavigate();
  return (
    <Action
      label="Delete"
      title={`Delete ${title}`}
      color="error"
      scope="admin.content:write"
      text="This cannot be undone."
      run={() => admin.deleteEntry(type, slug)}
      onDone={() => navigate('/content', { replace: true })}
      done="Entry deleted."
    />
  );
}
