import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import type { ReactNode } from 'react';
import { Link, Navigate, useLocation } from 'react-router';

import { PageHeading } from './page-heading.tsx';

interface PageTab {
  /** The last part of its URL. */
  readonly name: string;
  readonly label: string;
  readonly show: () => ReactNode;
}

interface PageTabsProps {
  readonly title: string;
  /** The path of the page. The tabs are below it, so that unsaved input is not left without a warning. */
  readonly path: string;
  readonly tabs: readonly [PageTab, ...PageTab[]];
}

/** A page in parts, each with a URL. */
export function PageTabs({ title, path, tabs }: PageTabsProps): ReactNode {
  const { pathname } = useLocation();
  const open = tabs.find(({ name }) => pathname === `${path}/${name}`);
  if (!open) return <Navigate to={`${path}/${tabs[0].name}`} replace />;
  return (
    <>
      <PageHeading title={title} />
      <Tabs value={open.name} variant="scrollable" allowScrollButtonsMobile sx={{ mb: 2 }} aria-label={title}>
        {tabs.map(({ name, label }) => (
          <Tab key={name} value={name} label={label} component={Link} to={`${path}/${name}`} />
        ))}
      </Tabs>
      <div role="tabpanel" aria-label={open.label}>
        {open.show()}
      </div>
    </>
  );
}
