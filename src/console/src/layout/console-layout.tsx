import Badge from '@mui/icons-material/Badge';
import WbSunny from '@mui/icons-material/WbSunny';
import Typography from '@mui/material/Typography';
import { AppBar, Layout, type LayoutProps, Logout, Menu, MenuItemLink, UserMenu } from 'react-admin';

import { pages } from '../pages/index.ts';
import { GateDialogs } from '../session/gate-dialogs.tsx';
import { useSession } from '../session/session.ts';

/** Every page of those who are signed in. */
export function ConsoleLayout({ children }: LayoutProps) {
  return (
    <Layout appBar={ConsoleBar} menu={ConsoleMenu} sx={{ minWidth: 0, '& .RaLayout-content': { minWidth: 0 } }}>
      {children}
      <GateDialogs />
    </Layout>
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
      <MenuItemLink to="/my-account" primaryText="My account" leftIcon={<Badge />} />
      <Logout />
    </UserMenu>
  );
}

/** The pages that the session's scopes allow. */
function ConsoleMenu() {
  return (
    <Menu>
      <Menu.DashboardItem primaryText="Today" leftIcon={<WbSunny />} />
      {pages.map(({ name }) => (
        <Menu.ResourceItem key={name} name={name} />
      ))}
    </Menu>
  );
}
