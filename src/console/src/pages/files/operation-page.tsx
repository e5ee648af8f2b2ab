import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import type { BulkChange, Erasure, Export, Import } from '@storefront-commerce/client';
import type { ComponentProps, ReactNode } from 'react';

import { Facts, Panel } from '../../lib/facts.tsx';
import { formatCount } from '../../lib/format.ts';
import { Note } from '../../lib/note.tsx';
import { PageHeading } from '../../lib/page-heading.tsx';
import { State } from '../../lib/texts.tsx';

interface OperationPageProps {
  readonly title: string;
  readonly of: Pick<Import | Export | BulkChange | Erasure, 'state' | 'failure'>;
  /** What else is to be known about its state. */
  readonly note?: string | false | null | undefined;
  /** What is to be known besides. */
  readonly warnings?: ReactNode;
  readonly actions: ReactNode;
  /** How much of it is done, from 0 to 1, where that is known. */
  readonly share?: number | undefined;
  readonly facts: ComponentProps<typeof Facts>['of'];
  readonly children?: ReactNode;
}

/** The page of work on many things, which a worker does: its state, how far it has come, and what became of it. */
export function OperationPage({
  title,
  of,
  note,
  warnings,
  actions,
  share,
  facts,
  children,
}: OperationPageProps): ReactNode {
  const { state, failure } = of;
  return (
    <>
      <PageHeading title={title}>
        <State code={state} />
      </PageHeading>
      {failure && <Note severity="error">{failure}</Note>}
      {note && <Note severity="info">{note}</Note>}
      {warnings}
      <Panel title="Progress" actions={actions}>
        {isOpen(of) && (
          <LinearProgress
            aria-label="Progress"
            sx={{ mb: 2 }}
            {...(share !== undefined && { variant: 'determinate', value: 100 * share })}
          />
        )}
        <Facts of={facts} />
      </Panel>
      {children}
    </>
  );
}

/** Whether a worker has not finished it, so that it can be canceled. */
export const isOpen = ({ state }: Pick<OperationPageProps['of'], 'state'>): boolean =>
  state === 'receiving' || state === 'queued' || state === 'running';

interface RejectedRowsProps {
  readonly count: number;
  /** Where the list of them is. */
  readonly href: string;
  /** What to do with it. */
  readonly children: string;
}

export function RejectedRows({ count, href, children }: RejectedRowsProps): ReactNode {
  if (count === 0) return null;
  const download = (
    <Button color="inherit" href={href} download>
      Download
    </Button>
  );
  return (
    <Note severity="warning" action={download}>
      {count === 1 ? '1 row was' : `${formatCount(count)} rows were`} rejected. {children}
    </Note>
  );
}
