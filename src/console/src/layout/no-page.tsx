import Typography from '@mui/material/Typography';

import { PageHeading } from '../lib/page-heading.tsx';

/** Stands for a page that the role does not allow. */
export function AccessDenied() {
  return <NoPage title="Access denied" text="Your role does not allow this page. Ask the owner of the store." />;
}

/** Stands for a page that does not exist. */
export function NotFound() {
  return <NoPage title="Not found" text="Page not found. Choose one from the menu." />;
}

function NoPage({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <>
      <PageHeading title={title} />
      <Typography>{text}</Typography>
    </>
  );
}
