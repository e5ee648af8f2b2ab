import Badge from '@mui/icons-material/Badge';
import WbSunny from '@mui/icons-material/WbSunny';
import Alert from '@mui/material/Alert';
import Divider from '@mui/material/Divider';
import ListSubheader from '@mui/material/ListSubheader';
import type { Theme } from '@mui/material/styles';
import Typography from '@mui/material/Typography';
import useMediaQuery from '@mui/material/useMediaQuery';
import { useLayoutEffect, useState } from 'react';
import {
  AppBar,
  Layout,
  type LayoutProps,
  Logout,
  Menu,
  MenuItemLink,
  Sidebar,
  type SidebarProps,
  UserMenu,
  useSidebarState,
  useUserMenu,
} from 'react-admin';
import { useLocation } from 'react-router';

import { formatTime, nameOfZone } from '../lib/format.ts';
import { areas } from '../pages/index.ts';
import { GateDialogs } from '../session/gate-dialogs.tsx';
import { hasAnyScope, useSession } from '../session/session.ts';

/** Every page of those who are signed in. */
export function ConsoleLayout({ children }: LayoutProps) {
  return (
    <Layout
      appBar={BarAndMenu}
      sidebar={Nothing}
      sx={{
        minWidth: 0,
        '& .RaLayout-appFrame': { flexDirection: 'row' },
        '& .RaLayout-contentWithSidebar, & .RaLayout-content': { minWidth: 0 },
      }}
    >
      <ClosedStore />
      {children}
      <TimeZone />
      <GateDialogs />
    </Layout>
  );
}

/** What stands on every page. The layout of react-admin would have the menu within `main`, which is what the page says. */
function BarAndMenu() {
  return (
    <>
      <ConsoleBar />
      <ConsoleSidebar>
        <ConsoleMenu />
      </ConsoleSidebar>
    </>
  );
}

const Nothing = () => null;

/** Where the window becomes narrow, enlarged or turned, the menu that was beside the page would cover it: it is closed. */
function ConsoleSidebar(props: SidebarProps) {
  const isNarrow = useMediaQuery<Theme>((theme) => theme.breakpoints.down('sm'), { noSsr: true });
  const [isOpen, setOpen] = useSidebarState();
  const [wasNarrow, setWasNarrow] = useState(false);
  useLayoutEffect(() => {
    if (isNarrow === wasNarrow) return;
    setOpen(!isNarrow);
    setWasNarrow(isNarrow);
  });
  return <Sidebar {...props} open={isOpen && isNarrow === wasNarrow} />;
}

/** Says that shoppers cannot reach the store. */
function ClosedStore() {
  const since = useSession()?.store.closed_at;
  if (!since) return null;
  return (
    <Alert severity="warning" sx={{ mt: 1 }}>
      {`This store has been closed since ${formatTime(since)}: its storefront sells nothing, and no reminders are sent. `}
      Orders, refunds, labels, returns and exports can still be handled here. Only the operator of the platform can open
      it again.
    </Alert>
  );
}

/** Below the page, in which zone its times are. It appears once the page is there, which would move it. */
function TimeZone() {
  return (
    <Typography
      component="footer"
      variant="caption"
      sx={{
        mt: 'auto',
        py: 1,
        color: 'text.secondary',
        displayPrint: 'none',
        ':is([aria-label=Loading], :has([aria-label=Loading])) ~ &': { visibility: 'hidden' },
      }}
    >
      Times are in the time zone of this computer: {nameOfZone()}
    </Typography>
  );
}

function ConsoleBar() {
  return (
    <AppBar color="primary" userMenu={<ConsoleUserMenu />}>
      <Typography variant="h6" component="p" noWrap sx={{ flexGrow: 1 }}>
        {useSession()?.store.name}
      </Typography>
    </AppBar>
  );
}

/** Its label is what it shows, so that it can be named as it is seen. */
function ConsoleUserMenu() {
  const staff = useSession()?.staff;
  return (
    <UserMenu label={staff && (staff.name || staff.email)}>
      <OwnAccountItem />
      <Logout />
    </UserMenu>
  );
}

/** The menu is closed by it: it would cover the page, and hide it from readers of the screen. */
function OwnAccountItem() {
  const menu = useUserMenu();
  return (
    <MenuItemLink to="/my-account" primaryText="My account" leftIcon={<Badge />} onClick={() => menu?.onClose()} />
  );
}

/** The pages that the session's scopes allow, by area: links, of which the one to the open page says so. */
function ConsoleMenu() {
  const session = useSession();
  const [, open = ''] = useLocation().pathname.split('/');
  const linkTo = (name: string) => ({
    to: `/${name}`,
    state: { _scrollToTop: true },
    role: 'link',
    ...(name === open && { 'aria-current': 'page' as const }),
  });
  return (
    <Menu component="nav" role="navigation" aria-label="Menu">
      <Menu.Item primaryText="Today" leftIcon={<WbSunny />} {...linkTo('')} />
      {areas.map(({ title, pages }) => {
        // The items of react-admin would find out one after the other who may open them, each by rendering the menu again.
        const allowed = pages.filter(({ scope }) => session && hasAnyScope(session, [scope].flat()));
        if (allowed.length === 0) return null;
        return [
          <AreaTitle key={title} title={title} />,
          ...allowed.map(({ name, label, icon: Icon }) => (
            <Menu.Item key={name} primaryText={label} leftIcon={<Icon />} {...linkTo(name)} />
          )),
        ];
      })}
    </Menu>
  );
}

/** Above the pages of an area: the title, or a line where the menu shows icons only. */
function AreaTitle({ title }: { readonly title: string }) {
  const [isOpen] = useSidebarState();
  return isOpen ? (
    <ListSubheader component="div" disableSticky sx={{ lineHeight: 1, pt: 2, pb: 1 }}>
      {title}
    </ListSubheader>
  ) : (
    <Divider aria-label={title} sx={{ my: 1 }} />
  );
}
