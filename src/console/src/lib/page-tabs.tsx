import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import type { ReactNode } from 'react';
import { Link, useSearchParams } from 'react-router';

import { PageHeading } from './page-heading.tsx';

interface PageTab {
  /** Its name in the URL. */
  readonly name: string;
  readonly label: string;
  readonly show: () => ReactNode;
}

interface PageTabsProps {
  readonly title: string;
  readonly tabs: readonly [PageTab, ...PageTab[]];
}

/** A page in parts, of which the URL names one. */
export function PageTabs({ title, tabs }: PageTabsProps): ReactNode {
  const [query] = useSearchParams();
  const open = tabs.find(({ name }) => name === query.get('tab')) ?? tabs[0];
  return (
    <>
      <PageHeading title={title} />
      <Tabs value={open.name} variant="scrollable" allowScrollButtonsMobile sx={{ mb: 2 }} aria-label={title}>
        {tabs.map(({ name, label }) => (
          <Tab key={name} value={name} label={label} component={Link} to={{ search: `?tab=${name}` }} />
        ))}
      </Tabs>
      {open.show()}
    </>
  );
}
